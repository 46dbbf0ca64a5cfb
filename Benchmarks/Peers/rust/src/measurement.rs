use crate::Failure;
use std::time::Duration;

/// What there is to do.
pub struct Load {
    pub url: String,
    pub authority: String,
    pub connections: usize,
    pub body_size: u64,
    pub warm_up: f64,
    pub seconds: f64,
}

impl Load {
    pub fn new(arguments: &[String]) -> Result<Load, Failure> {
        let [url, authority, connections, body_size, warm_up, seconds] = arguments else {
            return Err("URL AUTHORITY CONNECTIONS BODY_SIZE WARM_UP_SECONDS SECONDS".into());
        };
        Ok(Load {
            url: url.clone(),
            authority: authority.clone(),
            connections: connections.parse()?,
            body_size: body_size.parse()?,
            warm_up: warm_up.parse()?,
            seconds: seconds.parse()?,
        })
    }

    pub fn authority_pem(&self) -> Result<Vec<u8>, Failure> {
        Ok(std::fs::read(&self.authority)?)
    }
}

/// What was done; latencies in buckets of at most 3.2%, as all clients of the comparison keep them.
pub struct Tally {
    pub requests: u64,
    pub errors: u64,
    latencies: Vec<u64>,
}

impl Tally {
    pub fn new() -> Tally {
        Tally { requests: 0, errors: 0, latencies: vec![0; 64 * 32] }
    }

    pub fn record(&mut self, is_right: bool, latency: Duration) {
        if !is_right {
            self.errors += 1;
            return;
        }
        self.requests += 1;
        let nanoseconds = latency.as_nanos() as u64;
        let bucket = if nanoseconds < 64 {
            nanoseconds
        } else {
            let power = 63 - nanoseconds.leading_zeros() as u64;
            (power - 4) * 32 + ((nanoseconds >> (power - 5)) & 31)
        };
        self.latencies[bucket as usize] += 1;
    }

    pub fn add(&mut self, other: &Tally) {
        self.requests += other.requests;
        self.errors += other.errors;
        for (own, others) in self.latencies.iter_mut().zip(&other.latencies) {
            *own += others;
        }
    }

    fn microseconds(&self, share: f64) -> f64 {
        let mut seen = 0;
        for (bucket, count) in self.latencies.iter().enumerate() {
            seen += count;
            if *count > 0 && seen as f64 >= share * self.requests as f64 {
                if bucket < 64 {
                    return bucket as f64 / 1000.0;
                }
                let power = bucket / 32 + 4;
                let width = 1u64 << (power - 5);
                return ((32 + bucket as u64 % 32) * width + width / 2) as f64 / 1000.0;
            }
        }
        0.0
    }
}

/// User and system time of this process so far.
pub fn processor_microseconds() -> (f64, f64) {
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    let microseconds = |time: libc::timeval| time.tv_sec as f64 * 1e6 + time.tv_usec as f64;
    (microseconds(usage.ru_utime), microseconds(usage.ru_stime))
}

pub struct Measurement {
    tally: Tally,
    seconds: f64,
    user: f64,
    system: f64,
}

impl Measurement {
    pub fn new(tally: Tally, elapsed: Duration, before: (f64, f64)) -> Measurement {
        let after = processor_microseconds();
        let (user, system) = (after.0 - before.0, after.1 - before.1);
        Measurement { tally, seconds: elapsed.as_secs_f64(), user, system }
    }

    pub fn json(&self) -> String {
        format!(
            "{{\"requests\":{},\"errors\":{},\"seconds\":{},\"userMicroseconds\":{},\"systemMicroseconds\":{},\
             \"p50Microseconds\":{},\"p90Microseconds\":{},\"p99Microseconds\":{}{}}}",
            self.tally.requests, self.tally.errors, self.seconds, self.user, self.system,
            self.tally.microseconds(0.5), self.tally.microseconds(0.9), self.tally.microseconds(0.99),
            resident_bytes().map(|bytes| format!(",\"residentBytes\":{bytes}")).unwrap_or_default()
        )
    }
}

/// The largest resident set of this process so far.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

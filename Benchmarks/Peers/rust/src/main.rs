// hyper and reqwest as their makers advise, on one thread: MODE URL AUTHORITY CONNECTIONS BODY_SIZE WARM_UP_SECONDS SECONDS.

mod connection;
mod measurement;
mod pooled;

use measurement::{Load, Measurement, Tally};
use std::rc::Rc;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mode = arguments.first().ok_or("a mode is missing")?.clone();
    let load = Rc::new(Load::new(&arguments[1..])?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = tokio::task::LocalSet::new();
    let measurement = local.block_on(&runtime, async {
        match mode.as_str() {
            "hyper-connection" => connection::measure(load).await,
            "hyper-client" => pooled::hyper(load).await,
            "reqwest" => pooled::reqwest(load).await,
            _ => Err(format!("unknown mode {mode}").into()),
        }
    })?;
    println!("{}", measurement.json());
    Ok(())
}

/// Runs `run` twice: to warm up, and to be measured.
pub(crate) async fn twice<F, Fut>(load: &Load, mut run: F) -> Result<Measurement, Failure>
where
    F: FnMut(Instant) -> Fut,
    Fut: std::future::Future<Output = Result<Tally, Failure>>,
{
    run(Instant::now() + Duration::from_secs_f64(load.warm_up)).await?;
    let before = measurement::processor_microseconds();
    let begin = Instant::now();
    let tally = run(begin + Duration::from_secs_f64(load.seconds)).await?;
    Ok(Measurement::new(tally, begin.elapsed(), before))
}

// Go's net/http as its makers advise: one client, idle connections enough, bodies read to their end.
//
// MODE URL AUTHORITY CONNECTIONS BODY_SIZE WARM_UP_SECONDS SECONDS
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Buckets of at most 3.2%, as all clients of the comparison keep them.
type tally struct {
	requests, errors uint64
	latencies        [64 * 32]uint64
}

func (t *tally) record(isRight bool, latency time.Duration) {
	if !isRight {
		t.errors++
		return
	}
	t.requests++
	t.latencies[bucket(uint64(latency))]++
}

func (t *tally) add(other *tally) {
	t.requests += other.requests
	t.errors += other.errors
	for index, count := range other.latencies {
		t.latencies[index] += count
	}
}

func bucket(nanoseconds uint64) uint64 {
	if nanoseconds < 64 {
		return nanoseconds
	}
	power := uint64(63 - bits.LeadingZeros64(nanoseconds))
	return (power-4)*32 + ((nanoseconds >> (power - 5)) & 31)
}

func (t *tally) microseconds(share float64) float64 {
	var seen uint64
	for index, count := range t.latencies {
		seen += count
		if count > 0 && float64(seen) >= share*float64(t.requests) {
			if index < 64 {
				return float64(index) / 1000
			}
			width := uint64(1) << (index/32 + 4 - 5)
			return float64((32+uint64(index)%32)*width+width/2) / 1000
		}
	}
	return 0
}

type load struct {
	url         string
	connections int
	size        int64
}

func (l load) repeat(client *http.Client, deadline time.Time, own *tally) {
	begin := time.Now()
	for {
		size, status := int64(-1), 0
		if response, err := client.Get(l.url); err == nil {
			status = response.StatusCode
			size, _ = io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
		now := time.Now()
		own.record(status == 200 && size == l.size, now.Sub(begin))
		if !now.Before(deadline) || own.errors >= 1000 {
			return
		}
		begin = now
	}
}

func (l load) run(client *http.Client, seconds float64) *tally {
	deadline := time.Now().Add(time.Duration(seconds * 1e9))
	own := make([]tally, l.connections)
	var running sync.WaitGroup
	for index := range own {
		running.Add(1)
		go func(own *tally) {
			defer running.Done()
			l.repeat(client, deadline, own)
		}(&own[index])
	}
	running.Wait()
	all := &tally{}
	for index := range own {
		all.add(&own[index])
	}
	return all
}

func processorMicroseconds() (user, system float64) {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Sec)*1e6 + float64(usage.Utime.Usec), float64(usage.Stime.Sec)*1e6 + float64(usage.Stime.Usec)
}

// The largest resident set of this process so far, in bytes.
func residentBytes() uint64 {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmHWM:" {
			kilobytes, _ := strconv.ParseUint(fields[1], 10, 64)
			return kilobytes * 1024
		}
	}
	return 0
}

func fail(reason any) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(1)
}

func number(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		fail(err)
	}
	return value
}

func main() {
	if len(os.Args) != 8 {
		fail("MODE URL AUTHORITY CONNECTIONS BODY_SIZE WARM_UP_SECONDS SECONDS")
	}
	l := load{url: os.Args[2], connections: int(number(os.Args[4])), size: int64(number(os.Args[5]))}
	authority, err := os.ReadFile(os.Args[3])
	if err != nil {
		fail(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	client := &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: l.connections, TLSClientConfig: &tls.Config{RootCAs: roots}, DisableCompression: true,
	}}
	l.run(client, number(os.Args[6]))
	user, system := processorMicroseconds()
	begin := time.Now()
	all := l.run(client, number(os.Args[7]))
	seconds := time.Since(begin).Seconds()
	userAfter, systemAfter := processorMicroseconds()
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"requests": all.requests, "errors": all.errors, "seconds": seconds,
		"userMicroseconds": userAfter - user, "systemMicroseconds": systemAfter - system,
		"residentBytes":   residentBytes(),
		"p50Microseconds": all.microseconds(0.5), "p90Microseconds": all.microseconds(0.9),
		"p99Microseconds": all.microseconds(0.99),
	})
}

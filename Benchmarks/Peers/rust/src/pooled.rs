//! hyper's client, and reqwest: what people use.

use crate::measurement::{Load, Measurement, Tally};
use crate::{twice, Failure};
use hyper::body::HttpBody;
use std::future::Future;
use std::rc::Rc;
use std::time::Instant;

pub async fn hyper(load: Rc<Load>) -> Result<Measurement, Failure> {
    let uri: hyper::Uri = load.url.parse()?;
    if uri.scheme_str() != Some("http") {
        return Err("hyper's client knows http alone".into());
    }
    let client = hyper::Client::builder().pool_max_idle_per_host(load.connections).build_http::<hyper::Body>();
    side_by_side(load, move || {
        let (client, uri) = (client.clone(), uri.clone());
        async move {
            let mut response = client.get(uri).await?;
            let mut received = 0;
            while let Some(piece) = response.body_mut().data().await {
                received += piece?.len() as u64;
            }
            Ok((response.status().as_u16(), received))
        }
    })
    .await
}

pub async fn reqwest(load: Rc<Load>) -> Result<Measurement, Failure> {
    let mut builder = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(load.connections);
    if load.url.starts_with("https") {
        let authority = reqwest::Certificate::from_pem(&load.authority_pem()?)?;
        builder = builder.tls_built_in_root_certs(false).add_root_certificate(authority);
    }
    let (client, url) = (builder.build()?, load.url.clone());
    side_by_side(load, move || {
        let request = client.get(url.as_str());
        async move {
            let mut response = request.send().await?;
            let mut received = 0;
            while let Some(piece) = response.chunk().await? {
                received += piece.len() as u64;
            }
            Ok((response.status().as_u16(), received))
        }
    })
    .await
}

/// A task for each connection, each of which fetches one time after the other.
async fn side_by_side<F, Fut>(load: Rc<Load>, fetch: F) -> Result<Measurement, Failure>
where
    F: Fn() -> Fut + Clone + 'static,
    Fut: Future<Output = Result<(u16, u64), Failure>> + 'static,
{
    twice(&load, |deadline| {
        let (load, fetch) = (load.clone(), fetch.clone());
        async move {
            let running: Vec<_> = (0..load.connections)
                .map(|_| tokio::task::spawn_local(repeat(fetch.clone(), load.body_size, deadline)))
                .collect();
            let mut tally = Tally::new();
            for task in running {
                tally.add(&task.await?);
            }
            Ok(tally)
        }
    })
    .await
}

async fn repeat<F, Fut>(fetch: F, size: u64, deadline: Instant) -> Tally
where
    F: Fn() -> Fut,
    Fut: Future<Output = Result<(u16, u64), Failure>> + 'static,
{
    let mut tally = Tally::new();
    let mut begin = Instant::now();
    loop {
        let outcome = fetch().await;
        let now = Instant::now();
        tally.record(matches!(outcome, Ok((200, received)) if received == size), now - begin);
        if now >= deadline || tally.errors >= 1000 {
            return tally;
        }
        begin = now;
    }
}

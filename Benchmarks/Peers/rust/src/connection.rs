//! hyper's connections without its client: one per task.

use crate::measurement::{Load, Measurement, Tally};
use crate::{twice, Failure};
use hyper::body::HttpBody;
use hyper::client::conn::{self, SendRequest};
use hyper::{Body, Request, Uri};
use std::rc::Rc;
use std::time::Instant;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

type Line = (SendRequest<Body>, Tally);

pub async fn measure(load: Rc<Load>) -> Result<Measurement, Failure> {
    let uri: Uri = load.url.parse()?;
    let mut idle = Vec::new();
    for _ in 0..load.connections {
        idle.push(connect(&uri, &load).await?);
    }
    let idle = Rc::new(std::cell::RefCell::new(idle));
    twice(&load, |deadline| {
        let (load, uri, idle) = (load.clone(), uri.clone(), idle.clone());
        async move {
            let lines: Vec<SendRequest<Body>> = idle.borrow_mut().drain(..).collect();
            let running: Vec<JoinHandle<Result<Line, Failure>>> = lines
                .into_iter()
                .map(|line| tokio::task::spawn_local(repeat(line, uri.clone(), load.body_size, deadline)))
                .collect();
            let mut tally = Tally::new();
            for task in running {
                let (line, own) = task.await??;
                tally.add(&own);
                idle.borrow_mut().push(line);
            }
            Ok(tally)
        }
    })
    .await
}

async fn connect(uri: &Uri, load: &Load) -> Result<SendRequest<Body>, Failure> {
    let host = uri.host().ok_or("no host")?;
    let is_secure = uri.scheme_str() == Some("https");
    let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
    let stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    if is_secure {
        let authority = tokio_native_tls::native_tls::Certificate::from_pem(&load.authority_pem()?)?;
        let connector = tokio_native_tls::native_tls::TlsConnector::builder()
            .disable_built_in_roots(true).add_root_certificate(authority).build()?;
        let stream = tokio_native_tls::TlsConnector::from(connector).connect(host, stream).await?;
        let (sender, connection) = conn::handshake(stream).await?;
        tokio::task::spawn_local(connection);
        return Ok(sender);
    }
    let (sender, connection) = conn::handshake(stream).await?;
    tokio::task::spawn_local(connection);
    Ok(sender)
}

async fn repeat(mut line: SendRequest<Body>, uri: Uri, size: u64, deadline: Instant) -> Result<Line, Failure> {
    let mut tally = Tally::new();
    let host = uri.authority().ok_or("no authority")?.as_str().to_owned();
    let path = uri.path().to_owned();
    let mut begin = Instant::now();
    loop {
        let request = Request::get(path.as_str()).header("Host", host.as_str()).body(Body::empty())?;
        std::future::poll_fn(|context| line.poll_ready(context)).await?;
        let mut response = line.send_request(request).await?;
        let mut received = 0;
        while let Some(piece) = response.body_mut().data().await {
            received += piece?.len() as u64;
        }
        let now = Instant::now();
        tally.record(response.status() == 200 && received == size, now - begin);
        if now >= deadline {
            return Ok((line, tally));
        }
        begin = now;
    }
}

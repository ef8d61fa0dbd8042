//! Evaluations per second of a UM-Bridge server, and the fastest rate it can answer at:
//! `cargo run --release --example umbridge_speed -- http://127.0.0.1:4242 [number of parameters]`.
//!
//! The second figure is for one connection that repeats the same bytes and barely parses the answers.

use kameleon::random::{Purpose, stream};
use kameleon::{Noise, Target};
use kameleon_models::{UmBridge, UmBridgeSettings};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

const CALLS: u32 = 2_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_else(|| "http://127.0.0.1:4242".into());
    let dim = arguments.next().map_or(Ok(2), |text| text.parse())?;
    let names: Vec<String> = (1..=dim).map(|i| format!("x{i}")).collect();
    let mut target = UmBridge::connect(UmBridgeSettings::new(&url), &names)?;
    let x = vec![0.5; dim];
    let mut rng = stream(1, 0, Purpose::Noise);
    let ours = rate(|| Ok(target.log_density(&x, Noise { rng: &mut rng, normals: &[] }).map(drop)?))?;
    let bare = bare_rate(url.trim_start_matches("http://"))?;
    println!("this client: {ours:.0} evaluations per second");
    println!("a bare connection: {bare:.0} evaluations per second");
    Ok(())
}

/// The rate of the server itself, for the example model's two blocks of one parameter.
fn bare_rate(address: &str) -> Result<f64, Box<dyn std::error::Error>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let body = r#"{"name":"banana","input":[[0.5],[0.5]],"config":{}}"#;
    let head = format!("POST /Evaluate HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n", body.len());
    let request = head + body;
    let mut answer = [0; 4096];
    rate(move || {
        stream.write_all(request.as_bytes())?;
        // The body may come apart from the head; it ends with the only brace after it.
        let mut end = 0;
        while end == 0 || answer[end - 1] != b'}' {
            end = stream.read(&mut answer)?;
            if end == 0 || !answer.starts_with(b"HTTP/1.1 200") && !answer[..end].contains(&b'}') {
                return Err("the server does not answer".into());
            }
        }
        Ok(())
    })
}

fn rate(mut f: impl FnMut() -> Result<(), Box<dyn std::error::Error>>) -> Result<f64, Box<dyn std::error::Error>> {
    let started = Instant::now();
    for _ in 0..CALLS {
        f()?;
    }
    Ok(f64::from(CALLS) / started.elapsed().as_secs_f64())
}

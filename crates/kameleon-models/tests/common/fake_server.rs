//! A small HTTP server on the loopback, which answers as a test tells it to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What to do with a request.
pub enum Act {
    /// Answer with a status and a body.
    Answer(u16, String),
    /// Write these bytes and close the connection.
    Raw(Vec<u8>),
    /// Close the connection without an answer.
    Drop,
    /// Do not answer for a while.
    Hang,
    /// Send the head of an answer, then one byte of its body every few milliseconds.
    Drip,
}

/// Answers with status 200.
pub fn ok(body: &str) -> Act {
    Act::Answer(200, body.into())
}

type Handler = dyn FnMut(&str, &str) -> Act + Send;

/// The server. It ends when it is dropped.
pub struct FakeServer {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    ended: Arc<AtomicBool>,
}

impl FakeServer {
    /// `handler` is given the path and the body of every request.
    pub fn start(handler: impl FnMut(&str, &str) -> Act + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let handler: Arc<Mutex<Handler>> = Arc::new(Mutex::new(handler));
        let (connections, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, end) = (Arc::clone(&connections), Arc::clone(&ended));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if end.load(Ordering::SeqCst) {
                    break;
                }
                count.fetch_add(1, Ordering::SeqCst);
                let handler = Arc::clone(&handler);
                thread::spawn(move || serve(stream.unwrap(), &handler));
            }
        });
        Self { address, connections, ended }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many connections were made to it.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

/// Answers the requests of one connection until it is closed.
fn serve(mut stream: TcpStream, handler: &Mutex<Handler>) {
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some((path, body)) = request(&mut reader) {
        let act = handler.lock().unwrap()(&path, &body);
        let done = match act {
            Act::Answer(status, body) => {
                let head = format!("HTTP/1.1 {status} Status\r\ncontent-length: {}\r\n\r\n", body.len());
                stream.write_all((head + &body).as_bytes())
            }
            Act::Raw(bytes) => {
                let _ = stream.write_all(&bytes);
                return;
            }
            Act::Drop => return,
            Act::Hang => {
                thread::sleep(Duration::from_secs(3));
                return;
            }
            Act::Drip => drip(&mut stream),
        };
        if done.is_err() {
            return;
        }
    }
}

fn drip(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")?;
    for _ in 0..300 {
        stream.write_all(b" ")?;
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// The path and the body of the next request.
fn request(reader: &mut BufReader<TcpStream>) -> Option<(String, String)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|&count| count > 0)?;
    let path = line.split(' ').nth(1)?.to_string();
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let header = header.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, String::from_utf8(body).ok()?))
}

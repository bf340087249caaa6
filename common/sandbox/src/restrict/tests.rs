//! Each layer by itself: both apply to the calling thread, so that a test can live in one.

use std::fs::File;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::thread;

use nix::libc;

use super::{allow_calls, deny_files};

fn error_of<T>(result: io::Result<T>) -> Option<i32> {
    result.err().and_then(|error| error.raw_os_error())
}

#[test]
fn landlock_alone_denies_files_and_where_it_can_tcp() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let restricted = thread::spawn(move || {
        let version = deny_files().unwrap();
        (version, error_of(File::open("/proc/self/exe")), error_of(TcpStream::connect(address)))
    });
    let (version, file, connection) = restricted.join().unwrap();
    assert_eq!(file, Some(libc::EACCES));
    assert_eq!(connection, (version >= 4).then_some(libc::EACCES));
    File::open("/proc/self/exe").unwrap();
    TcpStream::connect(address).unwrap();
}

#[test]
fn the_allow_list_alone_denies_files_sockets_and_threads() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let restricted = thread::spawn(move || {
        allow_calls().unwrap();
        [
            error_of(File::open("/proc/self/exe")),
            error_of(TcpStream::connect(address)),
            error_of(thread::Builder::new().spawn(|| ())),
        ]
    });
    assert_eq!(restricted.join().unwrap(), [Some(libc::EPERM); 3]);
}

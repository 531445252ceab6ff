//! Talking to the server byte by byte.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::world::World;

impl World {
    /// A bare connection.
    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends these bytes; returns everything that comes back before the connection is closed.
    pub(crate) async fn shout(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect().await;
        stream.write_all(bytes).await.unwrap();
        rest(&mut stream).await
    }
}

/// Everything that comes before the connection is closed.
pub(crate) async fn rest(stream: &mut TcpStream) -> String {
    let mut received = Vec::new();
    // A connection may also be closed by a reset; what came before counts.
    let _end = stream.read_to_end(&mut received).await;
    String::from_utf8_lossy(&received).into_owned()
}

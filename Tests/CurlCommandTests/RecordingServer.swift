import Foundation

/// A server on the loopback interface that takes one connection, keeps every byte it is sent
/// and answers 200 once it has as many as it waits for.
final class RecordingServer {
    let port: UInt16
    private let listener: Int32

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, byteCount) == 0 && listen(socket, 1) == 0
                    && getsockname(socket, $0, &byteCount) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(listener) }

    /// The bytes of the next connection, until its end. A peer that stops early is given up.
    func record(expectedByteCount: Int) -> [UInt8] {
        guard isReadable(listener) else { return [] }
        let connection = accept(listener, nil, nil)
        defer { close(connection) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var hasAnswered = false
        while true {
            if !hasAnswered, bytes.count >= expectedByteCount {
                let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
                shutdown(connection, Int32(SHUT_WR))
                hasAnswered = true
            }
            guard isReadable(connection) else { return bytes }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 10_000) == 1
    }
}

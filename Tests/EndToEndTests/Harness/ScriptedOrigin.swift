import Foundation

/// A server that answers when the test says so, with the bytes that the test says.
final class ScriptedOrigin {
    /// How long a request may take to come, in milliseconds.
    private static let patienceMs: Int32 = 60_000

    let port: Int
    private let listener: Int32
    private var connections: [Int32: [UInt8]] = [:]

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw Tool.Failure(description: "cannot listen") }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { for descriptor in [listener] + connections.keys { close(descriptor) } }

    /// Waits for a request, and answers it.
    func answer(_ response: [UInt8]) throws -> WholeMessage {
        while true {
            for (connection, bytes) in connections {
                let request = try WholeMessage(request: bytes)
                guard request.isComplete else { continue }
                connections[connection] = request.rest
                _ = response.withUnsafeBytes {
                    send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                return request
            }
            guard take(waitingMs: ScriptedOrigin.patienceMs) else {
                throw Tool.Failure(description: "no request came")
            }
        }
    }

    /// Whether anything has come that is not answered.
    var hasRequest: Bool {
        while take(waitingMs: 0) {}
        return connections.values.contains { !$0.isEmpty }
    }

    /// Takes a connection or bytes; whether there were any.
    private func take(waitingMs: Int32) -> Bool {
        var watched = ([listener] + connections.keys).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        guard poll(&watched, nfds_t(watched.count), waitingMs) > 0 else { return false }
        for one in watched where one.revents != 0 {
            if one.fd == listener {
                connections[accept(listener, nil, nil)] = []
            } else {
                receive(from: one.fd)
            }
        }
        return true
    }

    private func receive(from connection: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &buffer, buffer.count, 0)
        if count > 0 {
            connections[connection, default: []] += buffer[..<count]
        } else {
            connections[connection] = nil
            close(connection)
        }
    }
}

import Foundation
import ProxydHTTPModel
import ProxydHTTPWire

/// A TCP connection that sends and reads bytes as they are.
final class RawClient {
    private let descriptor: Int32
    private var pending: [UInt8] = []

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Tool.Failure(description: "cannot connect to \(port)") }
        // A broken proxy must end a test, not hang it.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close() }

    private var isOpen = true

    func close() {
        guard isOpen else { return }
        isOpen = false
        Glibc.close(descriptor)
    }

    /// Ends our direction only.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Everything up to and with a text.
    func read(until end: String) throws -> String {
        let wanted = Array(end.utf8)
        while true {
            if let range = Data(pending).range(of: Data(wanted)) {
                defer { pending.removeFirst(range.upperBound) }
                return String(decoding: pending[..<range.upperBound], as: UTF8.self)
            }
            guard try readMore() else {
                throw Tool.Failure(
                    description: "ended before \(end): \(String(decoding: pending, as: UTF8.self))")
            }
        }
    }

    /// Everything until the other side ends; nil where it was reset instead.
    func readToEnd() -> String? {
        do {
            while try readMore() {}
        } catch {
            return nil
        }
        defer { pending = [] }
        return String(decoding: pending, as: UTF8.self)
    }

    /// A whole response; one without a length and without chunks is not.
    func readResponse(to method: HTTPMethod) throws -> WholeMessage {
        while true {
            let message = try WholeMessage(response: pending, to: method)
            if message.isComplete {
                pending = message.rest
                return message
            }
            guard try readMore() else {
                throw Tool.Failure(
                    description: "no whole response: \(String(decoding: pending, as: UTF8.self))")
            }
        }
    }

    /// Whether something has come that was not read.
    var hasInput: Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return !pending.isEmpty || poll(&watched, 1, 0) > 0
    }

    /// Reads on, to a number of bytes in all since the last `read`, and throws them away.
    func skip(_ count: Int) throws {
        var left = count - pending.count
        pending = []
        while left > 0 {
            guard try readMore() else {
                throw Tool.Failure(description: "ended \(left) bytes early")
            }
            left -= pending.count
            pending = []
        }
    }

    private func readMore() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else {
            throw Tool.Failure(description: "read failed: \(String(cString: strerror(errno)))")
        }
        pending += buffer[..<count]
        return count > 0
    }
}

/// A message as it was on the wire: its head, and its content after transfer-coding.
struct WholeMessage {
    private(set) var head: [UInt8] = []
    private(set) var body: [UInt8] = []
    /// Heads of interim responses before it.
    private(set) var interim: [UInt8] = []
    /// Bytes that came behind it.
    private(set) var rest: [UInt8] = []
    private(set) var isComplete = false

    var text: String { String(decoding: head + body, as: UTF8.self) }

    /// A request, as far as it is among some bytes.
    init(request bytes: [UInt8]) throws {
        var decoder = RequestDecoder()
        try read(bytes) { (input, offset) throws(WireError) in
            try decoder.decode(input, from: &offset)
        }
    }

    /// A response to a method, as far as it is among some bytes.
    init(response bytes: [UInt8], to method: HTTPMethod) throws {
        var decoder = ResponseDecoder()
        decoder.expectResponse(toMethod: method)
        try read(bytes) { (input, offset) throws(WireError) in
            try decoder.decode(input, from: &offset)
        }
    }

    private mutating func read<Head>(
        _ bytes: [UInt8],
        _ decode: (Span<UInt8>, inout Int) throws(WireError) -> Decoded<Head>
    ) throws {
        var offset = 0
        var start = 0
        while !isComplete {
            switch try decode(bytes.span, &offset) {
            case .needsMoreInput: return
            case .informational: interim += bytes[start..<offset]
            case .head: head = Array(bytes[start..<offset])
            case .body(let range): body += bytes[range]
            case .trailers: break
            case .end: isComplete = true
            }
            start = offset
        }
        rest = Array(bytes[offset...])
    }
}

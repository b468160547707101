import Foundation
import ProxydSystem
import ProxydTestSupport

/// A server of which only the answers exist, for one connection at a time.
final class FakeServer: Sendable {
    struct Unavailable: Error {}

    private let descriptor: Int32
    /// The port; 0 for a socket in a folder.
    let port: UInt16

    /// Listens on a port of this machine.
    init() throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        descriptor = try FakeServer.listening(AF_INET, address)
        port = try FakeServer.port(of: descriptor)
    }

    /// Listens on the socket that libpq looks for in a folder.
    init(in folder: ScratchFolder) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: Array("\(folder.path)/.s.PGSQL.5432".utf8))
        }
        descriptor = try FakeServer.listening(AF_UNIX, address)
        port = 0
    }

    deinit { close(descriptor) }

    private static func listening<Address>(_ family: Int32, _ address: Address) throws -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let isBound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, 4) == 0 else {
            close(descriptor)
            throw Unavailable()
        }
        return descriptor
    }

    private static func port(of descriptor: Int32) throws -> UInt16 {
        var address = sockaddr_in()
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &byteCount) == 0
            }
        }
        guard isKnown else { throw Unavailable() }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Takes a connection, gives the next answer after each piece that comes, and returns
    /// everything that came; hangs up after the last answer, or else when the client does.
    func serve(_ answers: [[UInt8]] = [], hangsUp: Bool = false) -> [UInt8] {
        let connection = accept(descriptor, nil, nil)
        defer { close(connection) }
        var left = answers[...]
        var came: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while !(hangsUp && left.isEmpty) {
            let count = read(connection, &piece, piece.count)
            guard count > 0 else { break }
            came += piece[..<count]
            guard let answer = left.popFirst() else { continue }
            _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
        }
        return came
    }

    /// The same on a thread of its own.
    func serveApart(_ answers: [[UInt8]] = [], hangsUp: Bool = false) -> Promise<[UInt8]> {
        let came = Promise<[UInt8]>()
        Thread.detachNewThread { came.fulfil(self.serve(answers, hangsUp: hangsUp)) }
        return came
    }
}

extension FakeServer {
    /// AuthenticationOk and ReadyForQuery (PostgreSQL manual, "Message Formats").
    static let welcome: [UInt8] = message("R", [0, 0, 0, 0]) + ready
    /// ReadyForQuery outside a transaction.
    static let ready: [UInt8] = message("Z", Array("I".utf8))

    /// A message with its length, which counts itself.
    static func message(_ kind: Character, _ contents: [UInt8]) -> [UInt8] {
        var bytes = Array("\(kind)".utf8)
        let length = contents.count + 4
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
        return bytes + contents
    }
}

internal import Glibc
internal import ProxydSystem

/// Reads and writes messages on descriptors; blocks.
package enum WirePipe {
    /// Reads the next message; nil at the end, or if what comes is not a message.
    package static func read(_ descriptor: Int32) -> WireMessage? {
        guard let head = bytes(descriptor, count: 4) else { return nil }
        let length = head.reduce(0) { $0 << 8 | Int($1) }
        guard length <= WireMessage.byteCountMax, let rest = bytes(descriptor, count: length)
        else { return nil }
        return WireMessage(rest)
    }

    /// Writes a message; false if no one reads anymore.
    package static func write(_ message: WireMessage, to descriptor: Int32) -> Bool {
        write(message.encoded, to: descriptor)
    }

    /// Writes messages that are encoded; false if no one reads anymore.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        do throws(SystemError) {
            try FullWrite.write(bytes, to: descriptor)
            return true
        } catch {
            return false
        }
    }

    private static func bytes(_ descriptor: Int32, count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        // In pieces: the length comes from the other side.
        var piece = [UInt8](repeating: 0, count: min(count, 1 << 16))
        while bytes.count < count {
            let wanted = min(piece.count, count - bytes.count)
            let found = piece.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, wanted)
            }
            if found < 0, errno == EINTR { continue }
            guard found > 0 else { return nil }
            bytes += piece[..<found]
        }
        return bytes
    }
}

internal import Dispatch
internal import Glibc

/// The lines of standard input, each read on request.
///
/// Why the mutable state is safe: everything except `queue` is accessed only on `queue`.
final class TypedLines: @unchecked Sendable {
    /// Longer lines are returned in pieces, in bytes.
    private static let lineByteCountMax = 16 << 20
    private static let chunkByteCount = 64 << 10

    private let queue = DispatchQueue(label: "typed lines")
    private let descriptor: Int32
    private var arrived: [UInt8] = []
    private var isOver = false

    init(_ environment: Environment) { descriptor = environment.inputDescriptor }

    /// Returns the next line without its line break, or nil after the last one.
    func next() async -> [UInt8]? {
        await withUnsafeContinuation { continuation in
            queue.async { continuation.resume(returning: self.take()) }
        }
    }

    private func take() -> [UInt8]? {
        var searched = 0
        while true {
            if let end = arrived[searched...].firstIndex(of: 0x0A) { return cut(end, skipping: 1) }
            if arrived.count >= TypedLines.lineByteCountMax {
                return cut(TypedLines.lineByteCountMax, skipping: 0)
            }
            searched = arrived.count
            if isOver || !read() {
                isOver = true
                return arrived.isEmpty ? nil : cut(arrived.count, skipping: 0)
            }
        }
    }

    private func cut(_ end: Int, skipping count: Int) -> [UInt8] {
        var line = arrived[..<end]
        if count > 0, line.last == 0x0D { line.removeLast() }
        let bytes = Array(line)
        arrived.removeFirst(end + count)
        return bytes
    }

    /// Reads more input; returns false at its end.
    private func read() -> Bool {
        var count = -1
        let chunk = [UInt8](unsafeUninitializedCapacity: TypedLines.chunkByteCount) {
            buffer, used in
            repeat {
                count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            } while count < 0 && errno == EINTR
            used = max(0, count)
        }
        arrived += chunk
        return count > 0
    }
}

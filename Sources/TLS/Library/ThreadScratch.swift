internal import Glibc

/// Spare buffers of one thread, shared by all its sessions.
///
/// Buffers are lent, not fixed, because a session may receive data within another session's
/// callback (TLS inside TLS): the inner one then borrows a second buffer.
final class ThreadScratch {
    /// Large enough for the plaintext of one 64 KiB read.
    private static let plaintextByteCount = 65_536
    /// A larger output buffer is freed instead of kept for reuse.
    private static let outputByteCountMax = 262_144
    private static let spareCountMax = 4

    private var plaintexts: [UnsafeMutableBufferPointer<UInt8>] = []
    private var outputs: [[UInt8]] = []

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, threadScratchRelease)
        return key
    }()

    /// The buffers of the calling thread.
    static var current: ThreadScratch {
        if let scratch = pthread_getspecific(key) {
            return Unmanaged<ThreadScratch>.fromOpaque(scratch).takeUnretainedValue()
        }
        let scratch = ThreadScratch()
        pthread_setspecific(key, Unmanaged.passRetained(scratch).toOpaque())
        return scratch
    }

    deinit {
        for buffer in plaintexts { buffer.deallocate() }
    }

    /// Lends a plaintext buffer for the duration of the call.
    func withPlaintext(
        _ body: (UnsafeMutableBufferPointer<UInt8>) throws(TLSError) -> Void
    ) throws(TLSError) {
        let buffer = plaintexts.popLast() ?? .allocate(capacity: Self.plaintextByteCount)
        defer {
            if plaintexts.count < Self.spareCountMax {
                plaintexts.append(buffer)
            } else {
                buffer.deallocate()
            }
        }
        try body(buffer)
    }

    /// An empty output buffer, with capacity if a spare one is available.
    func takeOutput() -> [UInt8] {
        outputs.popLast() ?? []
    }

    /// Returns an output buffer for reuse.
    func giveBack(_ output: consuming [UInt8]) {
        guard outputs.count < Self.spareCountMax, output.capacity <= Self.outputByteCountMax
        else { return }
        output.removeAll(keepingCapacity: true)
        outputs.append(output)
    }
}

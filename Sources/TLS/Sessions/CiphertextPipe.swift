internal import ProxydCOpenSSL

/// Both ends of a session's BIO: ciphertext is read straight from the span that
/// `TLSSession.receive` borrowed, and written straight into an output buffer.
///
/// The output buffer comes from the thread's spare ones and goes back when it is empty, so an idle
/// session keeps none.
final class CiphertextPipe {
    /// The remaining borrowed input; valid only within `TLSSession.receive`.
    var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var output: [UInt8] = []

    /// Makes the BIO that reads and writes this pipe. The caller owns it; it does not retain the
    /// pipe.
    func makeBIO() -> OpaquePointer? {
        guard let bio = BIO_new(BIOMethod.shared.pointer) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        return bio
    }

    /// Moves input to OpenSSL; 0 where there is none.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, input.count)
        guard count > 0 else { return 0 }
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: input.prefix(count)))
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(count))
        return count
    }

    /// Takes ciphertext from OpenSSL.
    func write(_ bytes: UnsafeRawBufferPointer) {
        if output.capacity == 0 { output = ThreadScratch.current.takeOutput() }
        output.append(contentsOf: bytes)
    }

    /// Takes the output; the next write starts a new one.
    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// The BIO's functions, made once for the process.
    ///
    /// `@unchecked Sendable`: the method table is filled in here and only read afterwards.
    private struct BIOMethod: @unchecked Sendable {
        static let shared = BIOMethod()
        let pointer: OpaquePointer?

        init() {
            pointer = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "span and array")
            BIO_meth_set_read(pointer, bioRead)
            BIO_meth_set_write(pointer, bioWrite)
            BIO_meth_set_ctrl(pointer, bioControl)
            BIO_meth_set_create(pointer, bioCreate)
        }
    }
}

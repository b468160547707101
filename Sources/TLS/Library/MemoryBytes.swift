internal import ProxydCOpenSSL

/// Reads what was written into a memory BIO.
enum MemoryBytes {
    static func copy(of bio: OpaquePointer) -> [UInt8] {
        var start: UnsafeMutablePointer<CChar>?
        let count = copenssl_memory_bytes(bio, &start)
        guard let start, count > 0 else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}

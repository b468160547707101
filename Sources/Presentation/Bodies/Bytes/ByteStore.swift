/// Bytes that only grow: in memory while they are few, then in a scratch file.
struct ByteStore: Sendable {
    /// The maximum size in memory, in bytes.
    static let memoryByteCountMax = 1 << 20

    private(set) var byteCount = 0
    private var memory: [UInt8] = []
    private var file: ScratchFile?
    /// Whether bytes were lost because no file could be written.
    private(set) var isBroken = false

    /// Appends bytes.
    mutating func append(_ bytes: [UInt8]) {
        guard !isBroken, !bytes.isEmpty else { return }
        if file == nil, byteCount + bytes.count <= ByteStore.memoryByteCountMax {
            memory += bytes
            byteCount += bytes.count
            return
        }
        if file == nil {
            file = ScratchFile()
            if file?.write(memory.span, at: 0) == true {
                memory = []
            } else {
                // Bytes that fit in memory stay readable.
                file = nil
                isBroken = true
                return
            }
        }
        if file?.write(bytes.span, at: byteCount) == true {
            byteCount += bytes.count
        } else {
            isBroken = true
        }
    }

    /// A reader for the current bytes; it can be used while the store grows.
    var contents: ByteContents { ByteContents(memory: memory, file: file, byteCount: byteCount) }
}

/// The bytes of a store at one moment.
struct ByteContents: Sendable {
    fileprivate let memory: [UInt8]
    fileprivate let file: ScratchFile?
    fileprivate let byteCount: Int

    fileprivate init(memory: [UInt8], file: ScratchFile?, byteCount: Int) {
        self.memory = memory
        self.file = file
        self.byteCount = byteCount
    }

    /// Reads at most `count` bytes from an offset.
    func read(from offset: Int, byteCount count: Int) -> [UInt8] {
        guard offset >= 0, offset < byteCount, count > 0 else { return [] }
        let taken = min(count, byteCount - offset)
        if let file { return file.read(from: offset, byteCount: taken) }
        return Array(memory[offset..<offset + taken])
    }
}

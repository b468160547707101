/// Octets that only grow: in memory while they are few, in a scratch file from then on.
struct OctetStore: Sendable {
    /// What is kept in memory at most.
    static let memoryByteCountMax = 1 << 20

    private(set) var byteCount = 0
    private var memory: [UInt8] = []
    private var file: ScratchFile?
    /// Whether octets were lost because no file could be written.
    private(set) var isBroken = false

    /// Adds octets at the end.
    mutating func append(_ octets: [UInt8]) {
        guard !isBroken, !octets.isEmpty else { return }
        if file == nil, byteCount + octets.count <= OctetStore.memoryByteCountMax {
            memory += octets
            byteCount += octets.count
            return
        }
        if file == nil {
            file = ScratchFile()
            if file?.write(memory.span, at: 0) == true {
                memory = []
            } else {
                // What fits into memory stays readable.
                file = nil
                isBroken = true
                return
            }
        }
        if file?.write(octets.span, at: byteCount) == true {
            byteCount += octets.count
        } else {
            isBroken = true
        }
    }

    /// How to read what is there now; can be used while the store grows.
    var contents: OctetContents { OctetContents(memory: memory, file: file, byteCount: byteCount) }
}

/// The octets of a store at one moment.
struct OctetContents: Sendable {
    fileprivate let memory: [UInt8]
    fileprivate let file: ScratchFile?
    fileprivate let byteCount: Int

    fileprivate init(memory: [UInt8], file: ScratchFile?, byteCount: Int) {
        self.memory = memory
        self.file = file
        self.byteCount = byteCount
    }

    /// At most `count` octets from an offset on.
    func read(from offset: Int, byteCount count: Int) -> [UInt8] {
        guard offset >= 0, offset < byteCount, count > 0 else { return [] }
        let taken = min(count, byteCount - offset)
        if let file { return file.read(from: offset, byteCount: taken) }
        return Array(memory[offset..<offset + taken])
    }
}

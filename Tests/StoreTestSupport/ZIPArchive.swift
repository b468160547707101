public import ProxydInterchange

internal import ProxydContentCoding

/// A ZIP archive as tests write it, whole or broken.
public struct ZIPArchive: ArchiveFile {
    private struct Entry {
        let name: [UInt8]
        let fixed: [UInt8]
        let offset: Int
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// The bit flags of members that are added from now on; 1 says that they are encrypted.
    public var flags: UInt16 = 0
    /// What is added to the sizes that members have, to make them wrong.
    public var sizeError: UInt32 = 0
    /// Whether the directory is written.
    public var hasDirectory = true
    /// Whether sizes are written behind members that are added from now on.
    public var hasDescriptors = false

    /// Creates an archive without members.
    public init() {}

    /// An archive of texts.
    public init(_ members: [(name: String, text: String)]) {
        for member in members { add(member.name, Array(member.text.utf8)) }
    }

    /// Adds a member.
    public mutating func add(_ name: String, _ content: [UInt8], isDeflated: Bool = true) {
        let packed = isDeflated ? ZIPArchive.deflated(content) : content
        let offset = bytes.count
        let method: UInt16 = isDeflated ? 8 : 0
        let checksum = ZIPArchive.checksum(content)
        let sizes =
            ZIPArchive.four(checksum) + ZIPArchive.four(UInt32(packed.count))
            + ZIPArchive.four(UInt32(content.count) &+ sizeError)
        let flags = flags | (hasDescriptors ? 8 : 0)
        let start =
            ZIPArchive.two(20) + ZIPArchive.two(flags) + ZIPArchive.two(method)
            + ZIPArchive.four(0)
        let name = Array(name.utf8)
        let lengths = ZIPArchive.two(UInt16(name.count)) + ZIPArchive.two(0)
        let none = [UInt8](repeating: 0, count: 12)
        bytes += [0x50, 0x4B, 3, 4] + start + (hasDescriptors ? none : sizes) + lengths + name
        bytes += packed
        if hasDescriptors { bytes += [0x50, 0x4B, 7, 8] + sizes }
        entries.append(Entry(name: name, fixed: start + sizes + lengths, offset: offset))
    }

    /// Adds a member that shares the data of the first one.
    public mutating func repeatFirst(as name: String) {
        guard let first = entries.first, first.name.count == name.utf8.count else { return }
        entries.append(Entry(name: Array(name.utf8), fixed: first.fixed, offset: first.offset))
    }

    /// The bytes of the archive.
    public var file: [UInt8] {
        guard hasDirectory else { return bytes }
        var directory: [UInt8] = []
        for entry in entries {
            directory += [0x50, 0x4B, 1, 2] + ZIPArchive.two(20) + entry.fixed
            directory += [UInt8](repeating: 0, count: 10) + ZIPArchive.four(UInt32(entry.offset))
            directory += entry.name
        }
        let count = ZIPArchive.two(UInt16(entries.count))
        return bytes + directory + [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + count + count
            + ZIPArchive.four(UInt32(directory.count)) + ZIPArchive.four(UInt32(bytes.count))
            + [0, 0]
    }

    /// Its size in bytes.
    public var byteCount: Int64 { Int64(file.count) }

    /// Bytes of the archive.
    public func read(at offset: Int64, count: Int) -> [UInt8] {
        Array(file.dropFirst(Int(offset)).prefix(count))
    }

    private static func deflated(_ content: [UInt8]) -> [UInt8] {
        // Without the wrapper of zlib: two bytes before and four behind.
        let wrapped = (try? ContentEncoder.encode(content.span, as: .deflate)) ?? []
        return Array(wrapped.dropFirst(2).dropLast(4))
    }

    private static func checksum(_ content: [UInt8]) -> UInt32 {
        ~content.reduce(UInt32.max) { state, byte in
            (0..<8).reduce(state ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
            }
        }
    }

    private static func two(_ number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }

    private static func four(_ number: UInt32) -> [UInt8] {
        two(UInt16(truncatingIfNeeded: number)) + two(UInt16(truncatingIfNeeded: number >> 16))
    }
}

/// Bytes as a file that is read from any place.
public struct ByteFile: ArchiveFile {
    private let bytes: [UInt8]

    /// A file with these bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Its size in bytes.
    public var byteCount: Int64 { Int64(bytes.count) }

    /// Bytes of the file.
    public func read(at offset: Int64, count: Int) -> [UInt8] {
        Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
}

internal import ProxydContentCoding

/// Reads the members of a ZIP archive, up to the total size that is plausible for the archive.
struct ZIPReader {
    static let memberByteCountMax = 256 << 20
    /// The maximum total size of all members as a multiple of the archive's, besides a constant.
    private static let ratioMax: Int64 = 100
    private static let slackByteCount: Int64 = 256 << 20
    private static let pieceByteCount = 64 << 10

    /// The archive would fill memory or disk.
    struct Bomb: Error {}

    private let file: any ArchiveFile
    private var allowance: Int64

    init(_ file: any ArchiveFile, byteCountMax: Int64?) {
        self.file = file
        allowance =
            byteCountMax
            ?? min(file.byteCount, 1 << 50) * ZIPReader.ratioMax + ZIPReader.slackByteCount
    }

    /// Passes on the bytes of a member in pieces. If it throws, discard what was passed on.
    mutating func read(_ member: ZIPMember, _ take: (Span<UInt8>) -> Void) throws {
        guard !member.isEncrypted else {
            throw ImportProblem("it is encrypted: save it without a password")
        }
        guard member.method == 0 || member.method == 8 else {
            throw ImportProblem("it is compressed in a way that is not known (\(member.method))")
        }
        guard member.byteCount <= Int64(ZIPReader.memberByteCountMax) else {
            throw ImportProblem(
                "a part of it is longer than \(ZIPReader.memberByteCountMax >> 20) MiB")
        }
        var cursor = ArchiveCursor(file, at: member.offset)
        guard let fixed = try cursor.take(30), fixed.starts(with: [0x50, 0x4B, 3, 4]) else {
            throw ZIPReader.damaged
        }
        cursor.skip(Int64(fixed.littleEndian(at: 26, 2)) + Int64(fixed.littleEndian(at: 28, 2)))
        guard member.packedByteCount <= cursor.end - cursor.offset else { throw ZIPReader.damaged }
        let (byteCount, checksum) = try unpack(member, &cursor, take)
        guard byteCount == member.byteCount, checksum == member.checksum else {
            throw ZIPReader.damaged
        }
    }

    private mutating func unpack(
        _ member: ZIPMember, _ cursor: inout ArchiveCursor, _ take: (Span<UInt8>) -> Void
    ) throws -> (byteCount: Int64, checksum: UInt32) {
        var limits = DecodingLimits(
            decodedByteCountMax: ZIPReader.memberByteCountMax, ratioMax: 1_100)
        limits.slackByteCount = 64 << 10
        let decoder = try ContentDecoder(member.method == 8 ? [.deflate] : [], limits: limits)
        var checksum = ZIPChecksum()
        var byteCount: Int64 = 0
        var left = member.packedByteCount
        while left > 0 {
            let count = Int(min(left, Int64(ZIPReader.pieceByteCount)))
            guard let piece = try cursor.take(count) else { throw ZIPReader.damaged }
            left -= Int64(count)
            do throws(ContentCodingError) {
                try decoder.decode(piece.span) { (bytes) throws(ContentCodingError) in
                    checksum.add(bytes)
                    byteCount += Int64(bytes.count)
                    if byteCount <= member.byteCount { take(bytes) }
                }
            } catch {
                throw ZIPReader.damaged
            }
            // Data that continues past its own end is not read to find that out.
            guard byteCount <= member.byteCount else { throw ZIPReader.damaged }
            guard byteCount <= allowance else { throw Bomb() }
        }
        allowance -= byteCount
        return (byteCount, checksum.value)
    }

    mutating func bytes(_ member: ZIPMember, byteCountMax: Int) throws -> [UInt8] {
        guard member.byteCount <= Int64(byteCountMax) else {
            throw ImportProblem("a part of it is longer than \(byteCountMax >> 20) MiB")
        }
        var bytes: [UInt8] = []
        try read(member) { piece in
            piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    private static let damaged = ImportProblem("its data is damaged", isDamage: true)
}

/// A member of a ZIP archive, as its directory or its own header describes it.
struct ZIPMember {
    /// Where its header starts.
    var offset: Int64
    /// The size of its data in the archive, in bytes.
    var packedByteCount: Int64
    var byteCount: Int64
    var checksum: UInt32
    var method: UInt16
    var isEncrypted: Bool
}

/// The checksum of members of ZIP archives (CRC-32).
struct ZIPChecksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
        }
    }

    private var state: UInt32 = .max

    var value: UInt32 { ~state }

    mutating func add(_ bytes: Span<UInt8>) {
        var state = state
        ZIPChecksum.table.withUnsafeBufferPointer { table in
            for index in bytes.indices {
                state = state >> 8 ^ table[Int((state ^ UInt32(bytes[index])) & 0xFF)]
            }
        }
        self.state = state
    }
}

/// Finds the members of a ZIP archive (APPNOTE 6.3): by its directory, or, if that is missing
/// because the file was cut off, by the headers of the members themselves.
struct ZIPDirectory {
    private static let memberCountMax: UInt64 = 1_000_000
    private static let endByteCount = 22
    private static let commentByteCountMax = 0xFFFF
    private static let headerMark: [UInt8] = [0x50, 0x4B, 3, 4]

    private let file: any ArchiveFile
    private let keepsCutMember: Bool

    /// - Parameter keepsCutMember: Whether a last member that is cut off counts.
    init(_ file: any ArchiveFile, keepsCutMember: Bool = false) {
        self.file = file
        self.keepsCutMember = keepsCutMember
    }

    /// Calls `take` with each member and its name.
    /// - Returns: false if the directory is missing.
    func forEach(_ take: (ArraySlice<UInt8>, ZIPMember) throws -> Void) throws -> Bool {
        guard let place = try place() else {
            try forEachHeader(take)
            return false
        }
        var cursor = ArchiveCursor(file, at: place.offset)
        for _ in 0..<place.count {
            guard let fixed = try cursor.take(46), fixed.starts(with: [0x50, 0x4B, 1, 2]),
                let name = try cursor.take(Int(fixed.littleEndian(at: 28, 2))),
                let extra = try cursor.take(Int(fixed.littleEndian(at: 30, 2)))
            else { throw ImportProblem("its directory is broken", isDamage: true) }
            cursor.skip(Int64(fixed.littleEndian(at: 32, 2)))
            try take(name, try ZIPDirectory.member(fixed, extra))
        }
        return true
    }

    private static func member(
        _ fixed: ArraySlice<UInt8>, _ extra: ArraySlice<UInt8>
    ) throws -> ZIPMember {
        var long = longNumbers(extra)
        func number(at index: Int) -> Int64? {
            let short = fixed.littleEndian(at: index, 4)
            guard short == 0xFFFF_FFFF else { return Int64(short) }
            return Int64(exactly: long.next() ?? short)
        }
        // They follow in this order if they do not fit.
        guard let byteCount = number(at: 24), let packed = number(at: 20),
            let offset = number(at: 42)
        else { throw ImportProblem("its directory is broken", isDamage: true) }
        return ZIPMember(
            offset: offset, packedByteCount: packed, byteCount: byteCount,
            checksum: UInt32(truncatingIfNeeded: fixed.littleEndian(at: 16, 4)),
            method: UInt16(truncatingIfNeeded: fixed.littleEndian(at: 10, 2)),
            isEncrypted: fixed.littleEndian(at: 8, 2) & 1 == 1)
    }

    /// The eight-byte numbers in the ZIP64 field.
    private static func longNumbers(_ extra: ArraySlice<UInt8>) -> IndexingIterator<[UInt64]> {
        var rest = extra
        while rest.count >= 4 {
            let size = Int(rest.littleEndian(at: 2, 2))
            if rest.littleEndian(at: 0, 2) == 1 {
                let field = rest.dropFirst(4).prefix(size)
                return stride(from: 0, to: field.count / 8 * 8, by: 8)
                    .map { field.littleEndian(at: $0, 8) }.makeIterator()
            }
            rest = rest.dropFirst(4 + size)
        }
        return [].makeIterator()
    }

    // MARK: The end of the directory

    private func place() throws -> (offset: Int64, count: Int)? {
        let wanted = Int64(ZIPDirectory.endByteCount + ZIPDirectory.commentByteCountMax)
        let start = max(0, file.byteCount - wanted)
        let tail = try file.read(at: start, count: Int(file.byteCount - start))
        var index = tail.count - ZIPDirectory.endByteCount
        while index >= 0 {
            let found = tail[index...]
            if found.starts(with: [0x50, 0x4B, 5, 6]),
                Int(found.littleEndian(at: 20, 2)) == found.count - ZIPDirectory.endByteCount
            {
                return try place(found, at: start + Int64(index))
            }
            index -= 1
        }
        return nil
    }

    private func place(
        _ end: ArraySlice<UInt8>, at place: Int64
    ) throws -> (offset: Int64, count: Int) {
        var count = end.littleEndian(at: 10, 2)
        var offset = end.littleEndian(at: 16, 4)
        if count == 0xFFFF || offset == 0xFFFF_FFFF, place >= 20 {
            let locator = try file.read(at: place - 20, count: 20)[...]
            if locator.starts(with: [0x50, 0x4B, 6, 7]) {
                let at = Int64(exactly: locator.littleEndian(at: 8, 8)) ?? .max
                let long = at < place ? try file.read(at: at, count: 56)[...] : []
                guard long.count == 56, long.starts(with: [0x50, 0x4B, 6, 6]) else {
                    throw ImportProblem("its directory is broken", isDamage: true)
                }
                count = long.littleEndian(at: 32, 8)
                offset = long.littleEndian(at: 48, 8)
            }
        }
        guard count <= ZIPDirectory.memberCountMax else {
            throw ImportProblem("it has more than \(ZIPDirectory.memberCountMax) members")
        }
        guard offset <= UInt64(place) else {
            throw ImportProblem("its directory is broken", isDamage: true)
        }
        return (Int64(offset), Int(count))
    }

    // MARK: Headers of members

    private func forEachHeader(_ take: (ArraySlice<UInt8>, ZIPMember) throws -> Void) throws {
        var cursor = ArchiveCursor(file, at: 0)
        for _ in 0..<ZIPDirectory.memberCountMax {
            let offset = cursor.offset
            guard let fixed = try cursor.take(30), fixed.starts(with: ZIPDirectory.headerMark),
                let name = try cursor.take(Int(fixed.littleEndian(at: 26, 2))),
                let extra = try cursor.take(Int(fixed.littleEndian(at: 28, 2)))
            else { return }
            var packed = Int64(fixed.littleEndian(at: 18, 4))
            var byteCount = Int64(fixed.littleEndian(at: 22, 4))
            var checksum = UInt32(truncatingIfNeeded: fixed.littleEndian(at: 14, 4))
            var long = ZIPDirectory.longNumbers(extra)
            if byteCount == 0xFFFF_FFFF { byteCount = Int64(clamping: long.next() ?? 0) }
            if packed == 0xFFFF_FFFF { packed = Int64(clamping: long.next() ?? 0) }
            let flags = fixed.littleEndian(at: 6, 2)
            let left = cursor.end - cursor.offset
            let described =
                flags & 8 != 0 && packed == 0 ? try descriptor(from: cursor.offset) : nil
            if let described {
                (packed, byteCount, checksum) = described
                cursor.skip(packed + 16)
            } else if packed > left || (flags & 8 != 0 && packed == 0) {
                guard keepsCutMember else { return }
                (packed, byteCount) = (left, Int64(ZIPReader.memberByteCountMax))
                cursor.skip(left)
            } else {
                cursor.skip(packed)
            }
            try take(
                name,
                ZIPMember(
                    offset: offset, packedByteCount: packed, byteCount: byteCount,
                    checksum: checksum,
                    method: UInt16(truncatingIfNeeded: fixed.littleEndian(at: 8, 2)),
                    isEncrypted: flags & 1 == 1))
        }
    }

    /// The numbers after the data of a member whose header lacks them: they are recognised by a
    /// size that equals that of the data.
    private func descriptor(
        from start: Int64
    ) throws -> (packed: Int64, byteCount: Int64, checksum: UInt32)? {
        let pieceByteCount = 64 << 10
        var offset = start
        while offset < file.byteCount {
            let piece = try file.read(at: offset, count: pieceByteCount + 16)
            var index = 0
            while index + 16 <= piece.count, index < pieceByteCount {
                defer { index += 1 }
                guard piece[index] == 0x50 else { continue }
                let found = piece[index..<(index + 16)]
                if found.starts(with: [0x50, 0x4B, 7, 8]),
                    Int64(found.littleEndian(at: 8, 4)) == offset + Int64(index) - start
                {
                    return (
                        Int64(found.littleEndian(at: 8, 4)), Int64(found.littleEndian(at: 12, 4)),
                        UInt32(truncatingIfNeeded: found.littleEndian(at: 4, 4))
                    )
                }
            }
            offset += Int64(pieceByteCount)
        }
        return nil
    }
}

/// A file with random access.
public protocol ArchiveFile {
    var byteCount: Int64 { get }
    /// Returns up to `count` bytes from `offset` on; fewer only at the end of the file.
    func read(at offset: Int64, count: Int) throws -> [UInt8]
}

/// Reads numbers and runs of bytes from a file in sequence.
struct ArchiveCursor {
    private static let pieceByteCount = 64 << 10

    private let file: any ArchiveFile
    /// The end of what may be read.
    let end: Int64
    private(set) var offset: Int64
    private var piece: ArraySlice<UInt8> = []

    init(_ file: any ArchiveFile, at offset: Int64, end: Int64? = nil) {
        self.file = file
        self.offset = max(0, offset)
        self.end = min(end ?? .max, file.byteCount)
    }

    /// Takes the next bytes; nil if there are not that many.
    mutating func take(_ count: Int) throws -> ArraySlice<UInt8>? {
        guard count >= 0, Int64(count) <= end - offset else { return nil }
        if piece.count < count {
            let wanted = min(Int64(max(count, ArchiveCursor.pieceByteCount)), end - offset)
            piece = try file.read(at: offset, count: Int(wanted))[...]
            guard piece.count >= count else { return nil }
        }
        offset += Int64(count)
        let taken = piece.prefix(count)
        piece = piece.dropFirst(count)
        return taken
    }

    mutating func skip(_ count: Int64) {
        guard count > 0 else { return }
        piece = count < Int64(piece.count) ? piece.dropFirst(Int(count)) : []
        offset = count > end - offset ? end : offset + count
    }
}

extension ArraySlice<UInt8> {
    /// A little-endian number of up to eight bytes; missing bytes count as zero.
    func littleEndian(at position: Int, _ byteCount: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in (0..<byteCount).reversed() {
            let at = startIndex + position + index
            value = value << 8 | (at < endIndex ? UInt64(self[at]) : 0)
        }
        return value
    }
}

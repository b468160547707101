internal import ProxydContentCoding

/// Reads the members of a ZIP archive, and no more of them than an archive of its size can have.
struct ZIPReader {
    /// The maximum size of a member in bytes.
    static let memberByteCountMax = 256 << 20
    /// How many times the size of the archive all its members together may have, besides some.
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

    /// Passes on the bytes of a member in pieces. What was passed on is to be dropped if it throws.
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
        cursor.skip(
            Int64(fixed.littleEndian(at: 26, 2)) + Int64(fixed.littleEndian(at: 28, 2)))
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
            // Data that goes on behind its own end is not read to find that out.
            guard byteCount <= member.byteCount else { throw ZIPReader.damaged }
            guard byteCount <= allowance else { throw Bomb() }
        }
        allowance -= byteCount
        return (byteCount, checksum.value)
    }

    /// The bytes of a short member.
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

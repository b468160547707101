internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// A ZIP archive with a HAR log and no Fiddler sessions, as Playwright writes it: reads the log,
/// and the files next to it that its entries name.
public struct HARArchive {
    private static let nameByteCountMax = 256
    private static let pieceByteCount = 256 << 10

    private var zip: ZIPReader
    private let log: (name: [UInt8], member: ZIPMember)
    private let members: [[UInt8]: ZIPMember]
    private let isWhole: Bool

    /// Reads the directory of an archive; nil if it is a different kind of archive.
    /// - Throws: `ImportProblem` if it is damaged, or has several logs.
    public init?(_ file: any ArchiveFile) throws {
        zip = ZIPReader(file, byteCountMax: nil)
        var logs: [(name: [UInt8], member: ZIPMember)] = []
        var members: [[UInt8]: ZIPMember] = [:]
        var hasSessions = false
        isWhole = try ZIPDirectory(file, keepsCutMember: true).forEach { name, member in
            hasSessions = hasSessions || SessionParts.part(name) != nil
            guard name.count <= HARArchive.nameByteCountMax else { return }
            members[Array(name)] = member
            if HARArchive.isLog(name) { logs.append((Array(name), member)) }
        }
        guard let log = logs.first, !hasSessions else { return nil }
        guard logs.count == 1 else {
            throw ImportProblem(
                "it has \(logs.count) HAR files: unpack it, and import each of them")
        }
        self.log = log
        self.members = members
    }

    /// Whether a member is a log by its name. The file that macOS adds for each is not one.
    private static func isLog(_ name: ArraySlice<UInt8>) -> Bool {
        let text = String(decoding: name, as: UTF8.self).lowercased()
        let file = text.split(separator: "/").last ?? ""
        return file.hasSuffix(".har") && !file.hasPrefix("._")
    }

    /// Passes on each entry of the log, valid or not, as `InterchangeReader` does.
    /// - Parameter progress: Called with the fraction that has been read; reading stops if it
    ///   returns false.
    public mutating func read(
        progress: (Double) -> Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        if !isWhole { try take(.failure(ImportProblem("the file ends too early", isDamage: true))) }
        var (bytes, damage): ([UInt8], ImportProblem?) = ([], nil)
        do {
            try zip.read(log.member) { piece in
                piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
            }
        } catch is ZIPReader.Bomb {
            throw ImportProblem(
                "the archive becomes more than a hundred times as large as it is", isDamage: true)
        } catch let problem as ImportProblem where problem.isDamage {
            // What could be unpacked is still read.
            damage = problem
        }
        guard ImportFormat.binary(bytes) == nil else {
            throw ImportProblem("its HAR file is an archive or a packet capture: unpack it first")
        }
        var reader = InterchangeReader(files: HARFiles(zip, members, log: log.name))
        for start in stride(from: 0, to: bytes.count, by: HARArchive.pieceByteCount) {
            guard progress(Double(start) / Double(bytes.count)) else { return }
            let end = min(start + HARArchive.pieceByteCount, bytes.count)
            try reader.receive(Array(bytes[start..<end]), take)
        }
        if let damage {
            // The reader has reported why the file ended early.
            if isWhole { try take(.failure(damage)) }
        } else {
            try reader.finish(take)
        }
    }
}

/// The files next to a HAR log in its archive, where Playwright stores bodies; entries name them
/// with `_file`. Names are only compared with those in the archive.
final class HARFiles {
    private var zip: ZIPReader
    private let folder: [UInt8]
    private let members: [[UInt8]: ZIPMember]

    /// - Parameter log: The name of the log, next to which the files are.
    init(_ zip: ZIPReader, _ members: [[UInt8]: ZIPMember], log: [UInt8]) {
        let end = log.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        folder = Array(log[..<end])
        self.zip = zip
        self.members = members
    }

    /// The bytes of the file that the body of a message names; nil if it names none, or one that is
    /// missing, damaged or too large.
    func bytes(_ body: JSONValue?) -> [UInt8]? {
        guard let name = body?["_file"]?.text, let member = members[folder + name.utf8] else {
            return nil
        }
        return try? zip.bytes(member, byteCountMax: RawMessage<Never>.bodyByteCountMax)
    }
}

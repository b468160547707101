/// Reads the sessions of a Fiddler archive (.saz) in the order of their numbers. Only the current
/// session is in memory, and the places of the others.
public struct FiddlerArchive {
    private static let messageGroupCount = 64

    private let sessions: [(number: Int, parts: SessionParts)]
    private var reader: ZIPReader
    /// Problems with the archive as a whole.
    private let problems: [ImportProblem]

    /// Reads the directory of an archive.
    /// - Parameter byteCountMax: How many bytes its members may have together; by default 100 times
    ///   its own size and 256 MiB.
    /// - Throws: `ImportProblem` if it is not an archive of Fiddler.
    public init(_ file: any ArchiveFile, byteCountMax: Int64? = nil) throws {
        reader = ZIPReader(file, byteCountMax: byteCountMax)
        var found: [Int: SessionParts] = [:]
        var places: [Range<Int64>] = []
        var leadingOutCount = 0
        var last: Int?
        let isWhole = try ZIPDirectory(file).forEach { name, member in
            if SessionParts.leadsOut(name) { leadingOutCount += 1 }
            guard let part = SessionParts.part(name),
                found[part.number, default: SessionParts()].add(member, part.kind)
            else { return }
            last = part.number
            let end = member.offset.addingReportingOverflow(member.packedByteCount)
            guard !end.overflow, member.offset >= 0, member.packedByteCount >= 0 else {
                throw ImportProblem("its directory is broken", isDamage: true)
            }
            places.append(member.offset..<end.partialValue)
        }
        try FiddlerArchive.checkPlaces(&places)
        var problems: [ImportProblem] = []
        if leadingOutCount > 0 {
            problems.append(
                ImportProblem("it has members whose names lead out of it; they were ignored"))
        }
        if !isWhole {
            problems.append(ImportProblem("the file ends too early", isDamage: true))
            // The last session may lack parts, even one without which it looks complete.
            if let last, found[last]?.isWhole != true { found[last] = nil }
            found = found.filter { $0.value.isWhole }
        }
        if found.isEmpty, problems.isEmpty {
            throw ImportProblem(
                "it has no HAR file and no sessions of Fiddler; a .chlz archive is exported from "
                    + "Charles as .chlsj or HAR")
        }
        sessions = found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        self.problems = problems
    }

    /// Members that share data are how a small archive becomes a huge one.
    private static func checkPlaces(_ places: inout [Range<Int64>]) throws {
        places.sort { $0.lowerBound < $1.lowerBound }
        for (place, next) in zip(places, places.dropFirst())
        where place.upperBound > next.lowerBound {
            throw ImportProblem("its members overlap", isDamage: true)
        }
    }

    /// Passes on each session, valid or not, as `InterchangeReader` does.
    /// - Parameter progress: Called with the fraction that has been read; reading stops if it
    ///   returns false.
    public mutating func read(
        progress: (Double) -> Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        for problem in problems { try take(.failure(problem)) }
        for (index, session) in sessions.enumerated() {
            guard progress(Double(index) / Double(sessions.count)) else { return }
            let place = "session \(session.number)"
            do {
                try read(session.parts) { try take(.success($0)) }
            } catch let problem as ImportProblem {
                try take(.failure(problem.at(place)))
            } catch is ZIPReader.Bomb {
                return try take(
                    .failure(
                        ImportProblem(
                            "the archive becomes more than a hundred times as large as it is",
                            place: place, isDamage: true)))
            }
        }
    }

    private mutating func read(
        _ parts: SessionParts, _ take: (ImportedPart) throws -> Void
    ) throws {
        let (imported, messages) = try FiddlerImport.exchange(parts, &reader)
        try take(.exchange(imported))
        var start = 0
        while start < messages.count {
            let end = min(start + FiddlerArchive.messageGroupCount, messages.count)
            try take(.messages(Array(messages[start..<end])))
            start = end
        }
    }
}

/// The members of a session of Fiddler: `raw/0017_c.txt` and so on.
struct SessionParts {
    enum Kind: UInt8 {
        case client = 0x63
        case server = 0x73
        /// Facts about the session, as XML.
        case facts = 0x6D
        /// The messages of a WebSocket.
        case socket = 0x77
    }

    var client: ZIPMember?
    var server: ZIPMember?
    var facts: ZIPMember?
    var socket: ZIPMember?

    /// Whether all parts that every session has are present.
    var isWhole: Bool { client != nil && server != nil && facts != nil }

    /// Adds a part; returns false if there is one already.
    mutating func add(_ member: ZIPMember, _ kind: Kind) -> Bool {
        let place: WritableKeyPath<SessionParts, ZIPMember?> =
            switch kind {
            case .client: \.client
            case .server: \.server
            case .facts: \.facts
            case .socket: \.socket
            }
        guard self[keyPath: place] == nil else { return false }
        self[keyPath: place] = member
        return true
    }

    /// The number of the session and the kind of a part; nil for every other member, which is
    /// ignored. Nothing is ever written under a name of an archive.
    static func part(_ name: ArraySlice<UInt8>) -> (number: Int, kind: Kind)? {
        let text = String(decoding: name, as: UTF8.self).lowercased()
        let pieces = text.split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == "/" || $0 == "\\" })
        guard pieces.count == 2, pieces[0] == "raw" else { return nil }
        let file = pieces[1]
        let digits = file.prefix { $0.isASCII && $0.isNumber }
        let rest = Array(file.dropFirst(digits.count).utf8)
        guard rest.count == 6, rest[0] == UInt8(ascii: "_"), rest[2] == UInt8(ascii: "."),
            let number = Int(digits), let kind = Kind(rawValue: rest[1])
        else { return nil }
        return (number, kind)
    }

    /// Whether a name leads out of the folder in which an archive is unpacked.
    static func leadsOut(_ name: ArraySlice<UInt8>) -> Bool {
        let pieces = name.split(omittingEmptySubsequences: false) { $0 == 0x2F || $0 == 0x5C }
        return pieces.contains { $0.elementsEqual("..".utf8) }
            || (pieces.count > 1 && pieces[0].isEmpty)
    }
}

internal import ProxydExchangeContent
internal import ProxydHTTPModel

/// Reads the sessions of an archive of Fiddler (.saz), in the order of their numbers. Only the
/// session that is read is in memory, and the places of the others.
public struct FiddlerArchive {
    private static let messageGroupCount = 64

    private let sessions: [(number: Int, parts: SessionParts)]
    private var reader: ZIPReader
    /// What is said about the archive as a whole.
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
            // Parts of the last session may be missing, a part without which it looks whole, too.
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
    /// - Parameter progress: Called with the share that is read; reading stops if it returns false.
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
                try take(
                    .failure(
                        ImportProblem(problem.message, place: place, isDamage: problem.isDamage)))
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

import Foundation
import ProxydHTTPWire

/// One run of the corpus through the peers, shared by all tests.
struct PeerRun: Sendable {
    let cases: [PeerCase]
    private let readings: [Key: Reading]

    private struct Key: Hashable { let id: Int, peer: PeerCase.Peer }

    /// How a peer read a case; nil where it was not asked.
    func reading(of peerCase: PeerCase, by peer: PeerCase.Peer) -> Reading? {
        readings[Key(id: peerCase.id, peer: peer)]
    }

    static let nginx = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    static let python = ["/usr/bin/python3", "/usr/local/bin/python3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    /// Whether the peers are there: Python with h11, and nginx.
    static let isPossible: Bool = {
        guard let python, nginx != nil else { return false }
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = ["-c", "import h11"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    private static let starting = Task { try await PeerRun(PeerCorpus.cases) }
    static func shared() async throws -> PeerRun { try await starting.value }

    /// A line that the peers' script prints.
    private struct Line: Decodable {
        let id: Int
        let peer: PeerCase.Peer
    }

    private init(_ cases: [PeerCase]) async throws {
        self.cases = cases
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "proxyd-peers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let encoder = JSONEncoder()
        let lines = try cases.map { try encoder.encode($0) + Data("\n".utf8) }
        let file = folder.appending(path: "cases")
        try lines.reduce(into: Data(), +=).write(to: file)
        let output = folder.appending(path: "readings")
        let status = try await PeerRun.read(file, to: output, in: folder)
        guard status == 0 else { throw PeersFailed(status: status) }
        var readings: [Key: Reading] = [:]
        for line in try Data(contentsOf: output).split(separator: UInt8(ascii: "\n")) {
            let key = try JSONDecoder().decode(Line.self, from: line)
            readings[Key(id: key.id, peer: key.peer)] =
                try JSONDecoder().decode(Reading.self, from: line)
        }
        self.readings = readings
    }

    private static func read(_ cases: URL, to output: URL, in folder: URL) async throws -> Int32 {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "peers.py")
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        let process = Process()
        process.executableURL = URL(filePath: python ?? "")
        process.arguments = [script.path, folder.path, nginx ?? "-", cases.path]
        process.standardOutput = try FileHandle(forWritingTo: output)
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }
}

/// The peers' script failed.
struct PeersFailed: Error { let status: Int32 }

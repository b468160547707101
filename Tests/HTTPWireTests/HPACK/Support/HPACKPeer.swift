import Foundation

/// Another implementation of HPACK, which a script in Python drives.
enum HPACKPeer: String {
    case hpack, nghttp2

    private static let python =
        ProcessInfo.processInfo.environment["PROXYD_HPACK_PYTHON"]
        ?? "/usr/bin/python3"

    /// Whether it can be asked.
    var isThere: Bool {
        let probe =
            switch self {
            case .hpack: "import hpack"
            case .nghttp2: "import ctypes; ctypes.CDLL('libnghttp2.so.14')"
            }
        return (try? Self.run(["-c", probe], to: .nullDevice)) == 0
    }

    /// What it says to each line; see the script.
    func answers(to lines: [String]) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "proxyd-hpack-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let cases = folder.appending(path: "cases")
        let answers = folder.appending(path: "answers")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: cases)
        try Data().write(to: answers)
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "hpack-peers.py")
        let status = try Self.run(
            [script.path, rawValue, cases.path], to: FileHandle(forWritingTo: answers))
        guard status == 0 else { throw PeerFailed(status: status) }
        let text = try String(contentsOf: answers, encoding: .utf8)
        return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private struct PeerFailed: Error { let status: Int32 }

    private static func run(_ arguments: [String], to output: FileHandle) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = arguments
        process.standardOutput = output
        if output === FileHandle.nullDevice { process.standardError = FileHandle.nullDevice }
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

import Foundation

/// A directory of its own for a test, removed with it.
final class Scratch: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "clientlib-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String, _ content: [UInt8] = []) throws -> URL {
        let file = url.appending(path: name)
        try Data(content).write(to: file)
        return file
    }

    var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? []
    }
}

extension URL {
    var octets: [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }
}

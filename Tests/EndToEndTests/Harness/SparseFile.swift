import Foundation
import ProxydTestSupport

/// A file of zeros that takes no room.
final class SparseFile {
    private let directory: ScratchFolder
    var path: String { directory.path + "/zeros" }

    init(byteCount: Int) throws {
        directory = try ScratchFolder()
        guard FileManager.default.createFile(atPath: path, contents: nil),
            truncate(path, byteCount) == 0
        else { throw Tool.Failure(description: "no file of \(byteCount) bytes") }
    }
}

import Foundation

/// Files of other programs in ../shared/vectors/imports beside the repository.
enum ImportVectors {
    /// The folder; nil where it is not.
    static let folder: String? = {
        var directory = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        while directory.path != "/" {
            directory.deleteLastPathComponent()
            let folder = directory.path + "/shared/vectors/imports"
            if FileManager.default.fileExists(atPath: folder) { return folder }
        }
        return nil
    }()

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder ?? "")/\(name)")))
    }
}

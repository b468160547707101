public import Foundation

/// The vectors that lie beside the repository.
public enum HeaderVectors {
    /// The file; nil where there is none.
    public static let file: URL? = {
        var directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while directory.path != "/" {
            let file = directory.appending(path: "../shared/vectors/parameter-coding.json")
                .standardized
            if FileManager.default.fileExists(atPath: file.path) { return file }
            directory.deleteLastPathComponent()
        }
        return nil
    }()
}

import Foundation

/// The directory that holds Package.swift, found from this file.
let projectRoot: URL = {
    var directory = URL(filePath: #filePath).resolvingSymlinksInPath()
    while directory.pathComponents.count > 1 {
        directory.deleteLastPathComponent()
        let sources = directory.appending(path: "Sources/Filter/FilterGrammar.swift")
        if FileManager.default.fileExists(atPath: sources.path) { break }
    }
    return directory
}()

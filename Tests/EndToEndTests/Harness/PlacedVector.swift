import Foundation
import ProxydTestSupport

/// A vector of rules with the names and files of this machine: `.test` is `.localhost`, which is
/// this machine, its URLs have the port of a scripted server, and what it serves is in a folder of
/// the test.
struct PlacedVector {
    let vector: RuleVectors.Case
    private let port: Int
    private let folder: String
    /// The names that are in URLs.
    private let names: Set<String>

    init(_ vector: RuleVectors.Case, port: Int, folder: String) {
        self.vector = vector
        self.port = port
        self.folder = folder
        let texts = [vector.rules, PlacedVector.latin(vector.requestBytes)]
        names = Set(
            texts.flatMap { $0.matches(of: /http:\/\/([a-z]+\.test)/) }.map { String($0.1) })
    }

    /// The text of the rules file.
    var rules: String {
        placed(vector.rules).replacing("127.0.0.1:3000", with: "127.0.0.1:\(port)")
            .replacing("\"/srv/", with: "\"\(folder)/srv/")
    }

    var request: [UInt8] { PlacedVector.bytes(placed(PlacedVector.latin(vector.requestBytes))) }

    /// A text of the vector, with the authorities that replace its names here.
    func placed(_ text: String) -> String {
        let placed = names.reduce(text) {
            $0.replacing("http://\($1)", with: "http://\($1):\(port)")
                .replacing("Host: \($1)\r\n", with: "Host: \($1):\(port)\r\n")
        }
        return placed.replacing(".test", with: ".localhost")
    }

    /// Writes what it serves.
    func writeFiles() throws {
        let manager = FileManager.default
        for (path, file) in vector.files ?? [:] {
            let place = folder + path
            try manager.createDirectory(
                atPath: (place as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true)
            guard file.linkOutside != true else {
                try? manager.removeItem(atPath: place)
                try manager.createSymbolicLink(
                    atPath: place, withDestinationPath: folder + "/srv/secret.txt")
                continue
            }
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
            let bytes = PlacedVector.bytes(file.text)
            _ = manager.createFile(
                atPath: place, contents: Data(bytes),
                attributes: [.modificationDate: format.date(from: file.modified) ?? Date()])
        }
    }

    /// One character a byte.
    private static func latin(_ bytes: [UInt8]) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func bytes(_ latin: String) -> [UInt8] {
        latin.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}

import Foundation
import Testing

/// Screens as they should be, in files beside the tests. `UPDATE_GOLDEN=1` writes them anew.
enum Golden {
    static func expect(
        _ text: String, _ name: String, location: SourceLocation = #_sourceLocation
    ) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Golden")
        let url = folder.appendingPathComponent(name + ".txt")
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
            try Data((text + "\n").utf8).write(to: url)
        }
        let wanted = try String(contentsOf: url, encoding: .utf8)
        #expect(text + "\n" == wanted, "\(name)", sourceLocation: location)
    }
}

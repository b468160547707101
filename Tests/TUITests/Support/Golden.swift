import Foundation
import ProxydTestSupport
import Testing

/// Screens as they should be, in files beside the tests. `UPDATE_GOLDEN=1` writes them anew.
enum Golden {
    static func expect(
        _ text: String, _ name: String, location: SourceLocation = #_sourceLocation
    ) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Golden")
        let url = folder.appendingPathComponent(name + ".txt")
        let wanted = try GoldenFile.wanted(at: url, found: text + "\n")
        #expect(text + "\n" == wanted, "\(name)", sourceLocation: location)
    }
}

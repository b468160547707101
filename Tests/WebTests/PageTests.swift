import Foundation
import ProxydWebServer
import Testing
import ProxydHTTPModel

struct PageTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Web/Page").standardizedFileURL

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: PageTests.folder.path)
    }

    @Test func `the web interface serves every file of its page unchanged`() throws {
        let store = try WebStore([])
        for name in try files() {
            let path = name == "index.html" ? "/" : "/page/\(name)"
            let response = store.response(.get, path)
            #expect(response.status == 200, "\(name)")
            let expected = try Data(contentsOf: PageTests.folder.appending(path: name))
            #expect(try WebStore.bytes(response) == Array(expected), "\(name)")
        }
    }

    @Test func `no script of the web interface uses functions that turn text into markup or code`()
        throws
    {
        let forbidden = [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
            "new Function", "srcdoc", "setAttribute(\"style\"", "localStorage.setItem(\"token",
            "createContextualFragment", "javascript:",
        ]
        for name in try files() where name.hasSuffix(".js") {
            let text = try String(
                contentsOf: PageTests.folder.appending(path: name), encoding: .utf8)
            for word in forbidden { #expect(!text.contains(word), "\(name): \(word)") }
        }
        let index = try String(
            contentsOf: PageTests.folder.appending(path: "index.html"), encoding: .utf8)
        #expect(!index.contains("<style") && !index.contains("style=\""))
    }
}

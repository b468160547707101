import ProxydRules
import ProxydTestSupport
import Testing

@Suite struct ServedPathTests {
    private func names(_ path: String, stripping prefix: String? = nil) -> [String]? {
        ServedPath(path.utf8, stripping: prefix)?.names.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("/a.txt", ["a.txt"]), ("/d/x.json", ["d", "x.json"]), ("/", []), ("", []), ("//", []),
        ("/sp%20ace.txt", ["sp ace.txt"]), ("/a//b", ["a", "b"]), ("/./a/./b", ["a", "b"]),
        ("/%2e/a", ["a"]), ("/a%", ["a%"]), ("/a%2", ["a%2"]), ("/%zz", ["%zz"]),
        ("/%252e%252e/a", ["%2e%2e", "a"]), ("/%41%c3%a9", ["Aé"]), ("/...", ["..."]),
        ("/a..b", ["a..b"]), ("/..a", ["..a"]), ("/a+b", ["a+b"]),
    ])
    func `the path of a served file is percent-decoded once`(path: String, expected: [String]) {
        #expect(names(path) == expected)
    }

    @Test(arguments: [
        "/..", "/../a", "/a/..", "/a/../b", "/%2e%2e/a", "/%2E./a", "/.%2e", "/a%2fb", "/a%2Fb",
        "/%5c", "/a%5Cb", "/a\\b", "/..\\a", "/a%00", "/a%00.html", "/a\0", "/static/../secret.txt",
        "/static/..%2fsecret.txt", "/%2f", "..",
    ])
    func `paths that could lead out of the served folder are rejected`(path: String) {
        #expect(ServedPath(path.utf8) == nil)
        #expect(ServedPath(path.utf8, stripping: "/static") == nil)
    }

    @Test(arguments: [
        ("/static/a.txt", "/static", ["a.txt"]), ("/static/a.txt", "/static/", ["a.txt"]),
        ("/static/a.txt", "static", ["a.txt"]), ("/static", "/static", []),
        ("/statics/a", "/static", ["statics", "a"]), ("/v1/x/a", "/v1/x", ["a"]),
        ("/other/a", "/static", ["other", "a"]), ("/a", "/", ["a"]), ("/a", "", ["a"]),
        ("/%73tatic/a", "/static", ["a"]), ("/static/static/a", "/static", ["static", "a"]),
    ])
    func `the strip option of serve removes only whole segments from the start of the path`(
        path: String, prefix: String, expected: [String]
    ) {
        #expect(names(path, stripping: prefix) == expected)
    }

    @Test(arguments: [
        ("/", true), ("/d/", true), ("/d", false), ("/static", false), ("/static/", true),
        ("/d/.", true), ("/d/%2e", true), ("", false),
    ])
    func `a served path that ends in a slash or a dot segment is treated as a folder`(
        path: String, isFolder: Bool
    ) {
        #expect(ServedPath(path.utf8, stripping: "/static")?.isFolder == isFolder)
    }

    @Test func `path segments of served files that are not UTF-8 are kept as bytes`() {
        let path = ServedPath(Array("/%ff%fe".utf8))
        #expect(path?.names == [[0xFF, 0xFE]])
        #expect(path?.fileName == "\u{FFFD}\u{FFFD}")
    }

    @Test func `no random served path contains an empty, dot or separator segment after decoding`()
    {
        var generator = SplitMix(seed: 5)
        let pieces = ["/", ".", "..", "%2e", "%2f", "%5c", "\\", "%00", "%", "2", "e", "a", "%25"]
        for _ in 0..<20_000 {
            let path = (0..<Int.random(in: 0...9, using: &generator))
                .map { _ in pieces.pick(&generator) }.joined()
            for name in ServedPath(path.utf8, stripping: "/a")?.names ?? [] {
                let text = String(decoding: name, as: UTF8.self)
                #expect(!["", ".", ".."].contains(text))
                #expect(name.allSatisfy { ![0, 0x2F, 0x5C].contains($0) })
            }
        }
    }
}

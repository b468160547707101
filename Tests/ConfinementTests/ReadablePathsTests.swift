import Foundation
import ProxydTestSupport
import Testing

@testable import ProxydConfinement

/// Which paths may be read when one place is hidden.
struct ReadablePathsTests {
    private let scratch: ScratchFolder
    private let root: String

    init() throws {
        scratch = try ScratchFolder()
        root = try #require(ReadablePaths.resolved(scratch.path))
        for name in ["a/x/secret/key", "a/x/other", "a/y/file", "b/file"] {
            try scratch.write(name, "")
        }
    }

    private func paths(_ wanted: [String], hiding hidden: String...) -> Set<String> {
        names(read(wanted, hidden).paths)
    }

    private func listed(_ wanted: [String], hiding hidden: String...) -> Set<String> {
        names(read(wanted, hidden).listed)
    }

    private func read(_ wanted: [String], _ hidden: [String]) -> ReadablePaths {
        ReadablePaths(wanted.map { "\(root)/\($0)" }, hiding: hidden.map { "\(root)/\($0)" })
    }

    private func names(_ paths: [String]) -> Set<String> {
        Set(paths.map { String($0.dropFirst(root.count + 1)) })
    }

    @Test
    func `a folder that contains no hidden path is readable as a whole for a confined program`() {
        #expect(paths(["a", "b"], hiding: "none") == ["a", "b"])
        #expect(paths(["a", "none", "b/file"], hiding: "b/file/none") == ["a", "b/file"])
    }

    @Test func `a path is hidden from a confined program by making only its siblings readable`() {
        #expect(paths(["a", "b"], hiding: "a/x/secret") == ["a/x/other", "a/y", "b"])
        #expect(paths(["a/x"], hiding: "a/x/secret/key") == ["a/x/other"])
    }

    @Test func `a confined program can read neither a hidden path nor anything inside it`() {
        #expect(paths(["a/x/secret", "a/x/secret/key", "b"], hiding: "a/x/secret") == ["b"])
        #expect(paths(["a", "b"], hiding: "a") == ["b"])
    }

    @Test func `a symbolic link to a hidden path does not make it readable for a confined program`()
        throws
    {
        try FileManager.default.createSymbolicLink(
            atPath: "\(root)/a/y/link", withDestinationPath: "\(root)/a/x/secret")
        try FileManager.default.createSymbolicLink(
            atPath: "\(root)/way", withDestinationPath: "\(root)/a/x")
        #expect(paths(["a/y/link"], hiding: "a/x/secret") == [])
        #expect(paths(["way"], hiding: "a/x/secret") == ["a/x/other"])
        // Also one that is found on the way.
        #expect(paths(["a"], hiding: "a/y/file") == ["a/x"])
    }

    @Test func `several paths can be hidden from a confined program together`() {
        #expect(paths(["a", "b"], hiding: "a/x/other", "b/file") == ["a/x/secret", "a/y"])
        #expect(paths(["a"], hiding: "a/x", "a/y") == [])
    }

    @Test
    func `a confined program may list a folder with a hidden file, but not with a hidden folder`() {
        #expect(listed(["a", "b"], hiding: "b/file") == ["b"])
        #expect(listed(["a"], hiding: "a/x/other") == ["a", "a/x"])
        #expect(listed(["a"], hiding: "a/x/secret") == [])
        #expect(listed(["a"], hiding: "a/x/secret", "a/y/file") == ["a/y"])
    }

    @Test func `a path that does not exist yet can be hidden from a confined program in advance`()
        throws
    {
        #expect(paths(["a"], hiding: "a/y/new") == ["a/x", "a/y/file"])
        #expect(listed(["a"], hiding: "a/y/new/key") == ["a", "a/y"])
        try FileManager.default.createSymbolicLink(
            atPath: "\(root)/b/link", withDestinationPath: "../a/y/new")
        #expect(paths(["a", "b"], hiding: "b/link") == ["a/x", "a/y/file", "b"])
        try FileManager.default.createSymbolicLink(
            atPath: "\(root)/b/circle", withDestinationPath: "circle")
        #expect(paths(["b"], hiding: "b/circle") == ["b/file"])
    }

    @Test(arguments: [
        ("/a", "/a", true), ("/a/b", "/a", true), ("/ab", "/a", false), ("/a", "/a/b", false),
        ("/", "/", true), ("/x", "/", true),
    ])
    func `a path is inside a folder only if whole path components match`(
        path: String, folder: String, isInside: Bool
    ) {
        #expect(ReadablePaths.isInside(path, folder) == isInside)
    }
}

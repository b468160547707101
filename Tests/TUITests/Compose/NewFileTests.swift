import ProxydTestSupport
import Testing

@testable import ProxydTUI

/// Files that appear only when they are complete.
struct NewFileTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func file(mayReplace: Bool = false) throws -> NewFile {
        try NewFile(scratch.path + "/out.har", mayReplace: mayReplace)
    }

    @Test func `a file that was written has its name, and only its owner reads it`() throws {
        let file = try file()
        try file.write(Array("one ".utf8))
        try file.write(Array("two".utf8))
        #expect(file.writtenByteCount == 7)
        try file.commit()
        #expect(try scratch.content(of: "out.har") == Array("one two".utf8))
        #expect(scratch.mode(of: "out.har") == 0o600)
        #expect(scratch.names == ["out.har"])
    }

    @Test func `a file that is given up leaves nothing`() throws {
        do {
            let file = try file()
            try file.write([1])
        }
        #expect(scratch.names == [])
    }

    @Test func `a name that is taken is not written over unasked`() throws {
        try scratch.write("out.har", "old")
        #expect(throws: NewFile.IsThere.self) { try file() }
        #expect(try scratch.content(of: "out.har") == Array("old".utf8))
    }

    @Test func `until a file that replaces another is complete, the other is there`() throws {
        try scratch.write("out.har", "old")
        do {
            let given = try file(mayReplace: true)
            try given.write(Array("half".utf8))
        }
        #expect(try scratch.content(of: "out.har") == Array("old".utf8))
        let whole = try file(mayReplace: true)
        try whole.write(Array("new".utf8))
        try whole.commit()
        #expect(try scratch.content(of: "out.har") == Array("new".utf8))
        #expect(scratch.names == ["out.har"])
    }

    @Test func `the name is kept from others while the file is written`() throws {
        let first = try file()
        #expect(throws: NewFile.IsThere.self) { try file() }
        try first.commit()
    }

    @Test func `a folder that is not there is told without its path`() {
        let error = #expect(throws: WorkFailure.self) {
            try NewFile(scratch.path + "/none/out.har", mayReplace: false)
        }
        #expect(error.map { "\($0)".hasPrefix("cannot write the file: ") } == true)
        #expect(error.map { "\($0)".contains(scratch.path) } == false)
    }

    @Test(arguments: [("/a", "/a"), ("~x", "~x"), ("a~", "a~"), ("", "")])
    func `only a tilde of one's own home is expanded`(typed: String, path: String) {
        #expect(NewFile.expanded(typed) == path)
        #expect(NewFile.expanded("~/a").hasSuffix("/a"))
        #expect(!NewFile.expanded("~/a").hasPrefix("~"))
    }
}

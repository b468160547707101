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

    @Test func `a saved file has its complete content and is readable only by its owner`()
        throws
    {
        let file = try file()
        try file.write(Array("one ".utf8))
        try file.write(Array("two".utf8))
        #expect(file.writtenByteCount == 7)
        try file.commit()
        #expect(try scratch.content(of: "out.har") == Array("one two".utf8))
        #expect(scratch.mode(of: "out.har") == 0o600)
        #expect(scratch.names == ["out.har"])
    }

    @Test func `abandoning a file while it is being written leaves no file behind`() throws {
        do {
            let file = try file()
            try file.write([1])
        }
        #expect(scratch.names == [])
    }

    @Test func `saving does not overwrite an existing file unless overwriting is allowed`() throws {
        try scratch.write("out.har", "old")
        #expect(throws: NewFile.AlreadyExists.self) { try file() }
        #expect(try scratch.content(of: "out.har") == Array("old".utf8))
    }

    @Test func `an existing file stays until the file that replaces it is complete`() throws {
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

    @Test func `while a file is being saved, saving another file under the same name fails`() throws
    {
        let first = try file()
        #expect(throws: NewFile.AlreadyExists.self) { try file() }
        try first.commit()
    }

    @Test func `the error for saving a file in a missing directory does not contain the path`() {
        let error = #expect(throws: WorkFailure.self) {
            try NewFile(scratch.path + "/none/out.har", mayReplace: false)
        }
        #expect(error.map { "\($0)".hasPrefix("cannot write the file: ") } == true)
        #expect(error.map { "\($0)".contains(scratch.path) } == false)
    }

    @Test(arguments: [("/a", "/a"), ("~x", "~x"), ("a~", "a~"), ("", "")])
    func `in a file name, ~/ is expanded to the user's home directory, and ~name is unchanged`(
        typed: String, path: String
    ) {
        #expect(NewFile.expanded(typed) == path)
        #expect(NewFile.expanded("~/a").hasSuffix("/a"))
        #expect(!NewFile.expanded("~/a").hasPrefix("~"))
    }
}

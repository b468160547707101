import Foundation
import ProxydUsers
import Testing

/// Users files of odd origin, and files on disk that are not what they should be.
@Suite struct UsersFileEdgeTests {
    private func names(_ bytes: [UInt8]) throws -> [String] {
        try UsersFile.users(of: bytes).names.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        "alice:HASH\n", "# users\nalice:HASH", "\r\nalice:HASH\r\n", "\talice:HASH \n",
    ])
    func `a byte order mark at the start of a users file is not part of a name`(_ text: String)
        throws
    {
        let lines = text.replacing("HASH", with: HashSamples.bcrypt)
        #expect(try names([0xEF, 0xBB, 0xBF] + Array(lines.utf8)) == ["alice"])
        let hash = try PasswordHash(HashSamples.scrypt)
        let marked = [0xEF, 0xBB, 0xBF] + Array(lines.utf8)
        #expect(!UsersFile.setting(hash, of: Array("alice".utf8), in: marked).isNew)
        #expect(UsersFile.removing(Array("alice".utf8), from: marked) != nil)
    }

    @Test(arguments: [
        ":", "alice", "alice:", "alice: \(HashSamples.bcrypt)", "ali ce:\(HashSamples.bcrypt)",
        "alice\u{0}:\(HashSamples.bcrypt)", "alice:\(HashSamples.bcrypt):x",
        "alice:\(HashSamples.bcrypt)\u{0}", "alice :\(HashSamples.bcrypt)",
    ])
    func `an invalid line of a users file is reported without any password hash in it`(
        _ line: String
    ) {
        let mistakes = #expect(throws: UsersFileMistakes.self) {
            _ = try names(Array("# first\n\(line)\n".utf8))
        }
        #expect(mistakes?.all.map(\.line) == [2])
        #expect(mistakes?.all.first?.message.contains(HashSamples.bcrypt) == false)
    }

    @Test
    func `setting a user with two lines in a users file leaves one; removing that user, none`()
        throws
    {
        let hash = try PasswordHash(HashSamples.scrypt)
        let twice = Array("a:x\r\nb:y\na:z".utf8)
        let set = UsersFile.setting(hash, of: Array("a".utf8), in: twice)
        #expect(String(decoding: set.bytes, as: UTF8.self) == "a:\(hash.text)\nb:y\n")
        let left = try #require(UsersFile.removing(Array("a".utf8), from: twice))
        #expect(String(decoding: left, as: UTF8.self) == "b:y\n")
    }

    @Test func `user names are compared by bytes, without case folding or Unicode normalization`()
        throws
    {
        let hash = HashSamples.bcrypt
        #expect(try names(Array("\u{E9}:\(hash)\ne\u{301}:\(hash)\n".utf8)).count == 2)
        #expect(try names(Array("a:\(hash)\nA:\(hash)\n".utf8)) == ["a", "A"])
    }

    /// A path that nothing is at yet; removed after the test.
    private func withPath(_ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "users-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    @Test func `a named pipe as a users file is rejected without waiting for a writer`() throws {
        try withPath { path in
            #expect(mkfifo(path, 0o600) == 0)
            #expect(throws: PrivateUsersFile.Failure.file("it is not a file")) {
                _ = try PrivateUsersFile(path: path).users()
            }
        }
    }

    @Test func `a users file of 4 MiB is read, and a larger one is rejected`() throws {
        try withPath { path in
            let file = PrivateUsersFile(path: path)
            try file.write([UInt8](repeating: 0x0A, count: UsersFile.byteCountMax))
            #expect(try file.users().names.isEmpty)
            try file.write([UInt8](repeating: 0x0A, count: UsersFile.byteCountMax + 1))
            #expect(throws: PrivateUsersFile.Failure.file("it is larger than 4194304 bytes")) {
                _ = try file.users()
            }
        }
    }

    @Test func `reading a users file from disk reports mistakes with their lines`() throws {
        try withPath { path in
            let file = PrivateUsersFile(path: path)
            try file.write(Array("\n\nbob:x\n".utf8))
            let failure = #expect(throws: PrivateUsersFile.Failure.self) { _ = try file.users() }
            guard case .lines(let mistakes)? = failure else {
                Issue.record("another failure")
                return
            }
            #expect(mistakes.map(\.line) == [3])
        }
    }
}

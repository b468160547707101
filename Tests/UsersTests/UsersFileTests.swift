import Foundation
import ProxydUsers
import Testing

/// The text of users files, and files that must be private.
@Suite struct `Users files` {
    private func users(_ text: String) throws -> UserTable {
        try UsersFile.users(of: Array(text.utf8))
    }

    @Test func `a users file has lines with name and hash; comments and empty lines are ignored`()
        throws
    {
        let table = try users(
            "# users\n\n  alice:\(HashSamples.bcrypt)  \nbob:\(HashSamples.yescrypt)\r\n\t\n"
                + "jürgen:\(HashSamples.scrypt)")
        #expect(table.names == ["alice", "bob", "jürgen"].map { Array($0.utf8) })
        #expect(table.hashes[Array("alice".utf8)]?.method == .bcrypt)
        #expect(table.hashes[Array("bob".utf8)]?.text == HashSamples.yescrypt)
        #expect(try users("").names.isEmpty)
    }

    @Test func `all mistakes in a users file are reported with their lines`() throws {
        let text = """
            alice:\(HashSamples.bcrypt)
            bob:$apr1$x$y
            nothing
            :\(HashSamples.bcrypt)
            alice:\(HashSamples.yescrypt)
            a b:\(HashSamples.bcrypt)
            """
        let mistakes = #expect(throws: UsersFileMistakes.self) { try users(text) }
        #expect(mistakes?.all.map(\.line) == [2, 3, 4, 5, 6])
        #expect(mistakes?.all.map(\.message).first?.contains("apr1") == true)
        #expect(mistakes?.all[3].message.contains("twice") == true)
        let all = mistakes?.all.map(\.message).joined() ?? ""
        #expect(!all.contains("$x$y"))
    }

    @Test
    func `a user is replaced in place, appended or removed in a users file without other changes`()
        throws
    {
        let hash = try PasswordHash(HashSamples.scrypt)
        let before = Array("# mine\nalice:\(HashSamples.bcrypt)\n\nbob:x".utf8)
        let (replaced, isNew) = UsersFile.setting(hash, of: Array("alice".utf8), in: before)
        #expect(!isNew)
        #expect(
            String(decoding: replaced, as: UTF8.self) == "# mine\nalice:\(hash.text)\n\nbob:x\n")
        let (added, isAdded) = UsersFile.setting(hash, of: Array("carol".utf8), in: before)
        #expect(isAdded)
        #expect(String(decoding: added, as: UTF8.self).hasSuffix("bob:x\ncarol:\(hash.text)\n"))
        let removed = UsersFile.removing(Array("alice".utf8), from: before)
        #expect(removed.map { String(decoding: $0, as: UTF8.self) } == "# mine\n\nbob:x\n")
        #expect(UsersFile.removing(Array("ali".utf8), from: before) == nil)
        let empty = UsersFile.setting(hash, of: Array("a".utf8), in: []).bytes
        #expect(String(decoding: empty, as: UTF8.self) == "a:\(hash.text)\n")
    }

    @Test(arguments: ["", "a:b", "a b", "#a", "a\n", "a\u{7F}", String(repeating: "a", count: 256)])
    func `a user name that cannot be written to a users file line is rejected`(name: String) {
        #expect(UsersFile.objection(to: Array(name.utf8)) != nil)
    }

    @Test func `a user name that is not UTF-8 is rejected`() {
        #expect(UsersFile.objection(to: [0xFF]) != nil)
        #expect(UsersFile.objection(to: Array("jürgen@example".utf8)) == nil)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o644])
    func `a users file that its group or other users may read is rejected`(mode: Int) throws {
        let path = NSTemporaryDirectory() + "users-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = PrivateUsersFile(path: path)
        #expect(!file.exists)
        try file.write(Array("alice:\(HashSamples.bcrypt)\n".utf8))
        #expect(try file.users().names == [Array("alice".utf8)])
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let failure = #expect(throws: PrivateUsersFile.Failure.self) { try file.users() }
        #expect("\(failure.map { "\($0)" } ?? "")".contains("chmod 600"))
    }

    @Test func `a users file that is missing or a directory is rejected`() {
        for path in ["/nonexistent/users", "/"] {
            #expect(throws: PrivateUsersFile.Failure.self) {
                try PrivateUsersFile(path: path).users()
            }
        }
    }
}

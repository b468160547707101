import ProxydUsers
import Testing

/// Hashes of passwords: which are taken, and which password has one.
@Suite struct `Password hashes` {
    @Test(arguments: [
        (HashSamples.yescrypt, PasswordHash.Method.yescrypt), (HashSamples.scrypt, .scrypt),
        (HashSamples.sha512, .sha512), (HashSamples.bcrypt, .bcrypt),
        (HashSamples.bcryptY, .bcrypt), (HashSamples.bcryptA, .bcrypt),
    ])
    func `a password hash made by another program matches only the password it was made from`(
        text: String, method: PasswordHash.Method
    ) throws {
        let hash = try PasswordHash(text)
        #expect(hash.method == method)
        #expect(hash.matches(Array("se:cret".utf8)))
        for wrong in ["se:creT", "", "se:cret ", "se"] {
            #expect(!hash.matches(Array(wrong.utf8)), "\(wrong)")
        }
    }

    @Test func `a new password hash uses yescrypt and, for the same password, differs each time`()
        throws
    {
        let password = Array("pa:ss wörd".utf8)
        let one = try #require(PasswordHash.make(of: password))
        let other = try #require(PasswordHash.make(of: password))
        #expect(one.method == .yescrypt)
        #expect(one.text.hasPrefix("$y$"))
        #expect(one != other)
        #expect(one.matches(password))
        #expect(other.matches(password))
    }

    @Test func `a password that is empty, too long or has a NUL is neither hashed nor accepted`()
        throws
    {
        #expect(PasswordHash.make(of: []) == nil)
        #expect(PasswordHash.make(of: Array("a\0b".utf8)) == nil)
        #expect(PasswordHash.make(of: [UInt8](repeating: 0x61, count: 512)) == nil)
        let hash = try PasswordHash(HashSamples.yescrypt)
        #expect(!hash.matches(Array("se:cret\0".utf8)))
        #expect(!hash.matches(Array("se:cret\0x".utf8)))
        #expect(!hash.matches([UInt8](repeating: 0x61, count: 100_000)))
    }

    @Test(arguments: [
        ("$apr1$salt$0123456789012345678901", "apr1 (MD5)"), ("$1$FKDl2GD1$zUvYp7", "MD5"),
        ("{SHA}2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "SHA-1"), ("rqXexS6ZhobKA", "crypt (DES)"),
        ("secret", "plain text"), ("", "plain text"), ("$5$salt$x", "SHA-256"),
        ("$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA", "Argon2"), ("$3$$8846f7ea", "this kind"),
        ("_J9..36TnnZ3/jY4etng", "this kind"), ("$gy$j9T$X02$rtJ1", "this kind"),
    ])
    func `the error for an unsupported password hash names its kind and proxyctl user add`(
        text: String, name: String
    ) {
        let refusal = #expect(throws: PasswordHash.Refusal.self) { try PasswordHash(text) }
        #expect(refusal?.message.contains(name) == true, "\(refusal?.message ?? "")")
        #expect(refusal?.message.contains("proxyctl user add") == true)
        #expect(refusal?.message.contains("secret") == false)
    }

    @Test(arguments: [
        "$2b$04$ijayZ.oUs/CvmopbQrJ66efpz/lSz2EaWg8yGgzHthiyRo0Wukvk",
        "$2b$04$ijayZ.oUs/CvmopbQrJ66e",
        "$2b$99$ijayZ.oUs/CvmopbQrJ66efpz/lSz2EaWg8yGgzHthiyRo0Wukvk",
        "$y$j75$mHtVaMnI2aMvBHaDnlSp1/", "$y$j75$mHtVaMnI2aMvBHaDnlSp1/$short", "$6$salt$short",
        "$7$BU..../....E4cKNwmtvfW33D31L4XQS.$S.0MKJhKqiW7pdYMtAHx2QpiwdUUg4tMvlyGo3PbdL!",
        "$6$", "$y$", "$2b$", "$7$",
    ])
    func `a truncated or malformed password hash is rejected`(text: String) {
        #expect(throws: PasswordHash.Refusal.self) { try PasswordHash(text) }
    }

    @Test func `a password hash that would take minutes to check is rejected`() {
        let costly = HashSamples.bcrypt.replacing("$04$", with: "$20$")
        let refusal = #expect(throws: PasswordHash.Refusal.self) { try PasswordHash(costly) }
        #expect(refusal?.message.contains("too long") == true)
        let rounds = HashSamples.sha512.replacing("rounds=1000", with: "rounds=99999999")
        #expect(throws: PasswordHash.Refusal.self) { try PasswordHash(rounds) }
    }
}

/// Hashes of the password `se:cret` by other programs, with the lowest costs.
enum HashSamples {
    static let yescrypt =
        "$y$j75$mHtVaMnI2aMvBHaDnlSp1/$MnmLtHy2vQJbVX2eSwP4Oz/QXrbtAfDKKmx3Wobma/6"
    static let scrypt =
        "$7$BU..../....E4cKNwmtvfW33D31L4XQS.$S.0MKJhKqiW7pdYMtAHx2QpiwdUUg4tMvlyGo3PbdL7"
    static let sha512 =
        "$6$rounds=1000$Ulxxl5zrXh7z31ld$paw1Z70gUdohQVN7Sp9.w9BbhPF2CwbLx/RbiOFH.9er.s8YNDQq9X7Ys"
        + "803qGuT5BlQvsPKnVvVYJhf69ioJ1"
    static let bcrypt = "$2b$04$ijayZ.oUs/CvmopbQrJ66efpz/lSz2EaWg8yGgzHthiyRo0WukvkO"
    static let bcryptY = "$2y$04$xocom1LiZqj3h7lGiiGWUuxzMNVMdx8pZpX52eHvBe3abn.qqhyVO"
    static let bcryptA = "$2a$04$8D4OamAciK6ecd8K7VioCewFKZ2EEnPHrN37YJvFo/MxitonLRX0O"
}

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

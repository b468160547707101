internal import ProxydPresentation
internal import FoundationEssentials

/// Adds the certificate to trust stores that can be changed, or removes it.
struct TrustInstaller {
    enum Action {
        case install
        case uninstall
    }

    /// What was done to one store.
    struct Step: Equatable {
        let location: String
        let isDone: Bool
        let message: String

        var line: StyledText {
            StyledText(isDone ? "done    " : "not done", isDone ? .good : .bad)
                + "  \(location): \(message)"
        }
    }

    let inquiry: TrustInquiry
    let action: Action

    /// The directory from which Debian takes local certificates.
    private static let localDirectory = "/usr/local/share/ca-certificates"

    func run() -> [Step] { [systemStep()] + browserSteps() }

    // MARK: System

    private func systemStep() -> Step {
        let directory = inquiry.systemPath(TrustInstaller.localDirectory)
        let file = "\(directory)/\(inquiry.nickname).crt"
        if action == .uninstall, !FileManager.default.fileExists(atPath: file) {
            return Step(location: "system store", isDone: true, message: "nothing was installed")
        }
        guard inquiry.environment.userID == 0 else {
            let option = action == .uninstall ? " --uninstall" : ""
            return Step(
                location: "system store", isDone: false,
                message: "needs root, run: \(inquiry.systemRemedy)\(option)")
        }
        guard let update = inquiry.environment.runner.find("update-ca-certificates") else {
            return Step(
                location: "system store", isDone: false,
                message: "update-ca-certificates is missing, "
                    + "run: apt-get install ca-certificates")
        }
        if let problem = changeFile(file) {
            return Step(location: file, isDone: false, message: problem)
        }
        return refresh(update, file)
    }

    /// Adds or removes the file; returns an error message or nil.
    private func changeFile(_ file: String) -> String? {
        do {
            switch action {
            case .install:
                let pem = try Data(contentsOf: URL(fileURLWithPath: inquiry.certificatePath))
                let directory = URL(fileURLWithPath: file).deletingLastPathComponent()
                try FileManager.default.createDirectory(
                    at: directory, withIntermediateDirectories: true)
                try pem.write(to: URL(fileURLWithPath: file), options: .atomic)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: file)
            case .uninstall: try FileManager.default.removeItem(atPath: file)
            }
            return nil
        } catch {
            return FileFailure.text(error)
        }
    }

    private func refresh(_ update: String, _ file: String) -> Step {
        // Only --fresh removes a deleted certificate's link from the directory.
        let arguments = action == .uninstall ? ["--fresh"] : []
        let result = inquiry.environment.runner.run(update, arguments)
        guard let result, result.exitCode == 0 else {
            return Step(
                location: "system store", isDone: false,
                message: "update-ca-certificates: \(result?.lastErrorLine ?? "did not finish")")
        }
        return Step(
            location: "system store", isDone: true,
            message: action == .install ? "installed as \(file)" : "removed \(file)")
    }

    // MARK: Browsers

    private func browserSteps() -> [Step] {
        guard let home = inquiry.environment.home else { return [] }
        var databases = NSSDatabase.all(home: home)
        let runner = inquiry.environment.runner
        guard let certutil = runner.find("certutil") else {
            return databases.map {
                Step(
                    location: "\($0.program) (\($0.path))", isDone: false,
                    message: "certutil is missing, run: sudo apt-get install libnss3-tools")
            }
        }
        if let made = makeChromiumDatabase(home: home, certutil, databases) {
            databases.append(made)
        }
        return databases.map { change($0, certutil) }
    }

    private func change(_ database: NSSDatabase, _ certutil: String) -> Step {
        let location = "\(database.program) (\(database.path))"
        let runner = inquiry.environment.runner
        let isTrusted = database.verdict(inquiry, certutil: certutil) == .trusts
        switch (action, isTrusted) {
        case (.install, true):
            return Step(location: location, isDone: true, message: "already trusts the certificate")
        case (.uninstall, false):
            return Step(location: location, isDone: true, message: "nothing was installed")
        default: break
        }
        let arguments = action == .install ? database.addition(inquiry) : database.removal(inquiry)
        let result = runner.run(certutil, arguments)
        guard let result, result.exitCode == 0 else {
            let problem = result?.lastErrorLine ?? "certutil did not finish"
            return Step(location: location, isDone: false, message: problem)
        }
        return Step(
            location: location, isDone: true, message: action == .install ? "installed" : "removed")
    }

    /// Creates Chromium's database if Chromium is installed but has none; Chromium itself creates
    /// it when first needed.
    private func makeChromiumDatabase(
        home: String, _ certutil: String, _ databases: [NSSDatabase]
    ) -> NSSDatabase? {
        let runner = inquiry.environment.runner
        let programs = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
        guard action == .install, !databases.contains(where: { $0.program == "Chromium" }),
            programs.contains(where: { runner.find($0) != nil })
        else { return nil }
        let path = "\(home)/.pki/nssdb"
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let result = runner.run(certutil, ["-N", "-d", "sql:\(path)", "--empty-password"])
        return result?.exitCode == 0 ? NSSDatabase(program: "Chromium", path: path) : nil
    }
}

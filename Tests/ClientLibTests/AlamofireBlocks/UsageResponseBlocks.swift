import ClientLib
import Foundation

// Blocks 28 to 67 of Alamofire 5.12's Usage.md, but for those on streams.

extension BlockRun {
    func usage28() {
        AF.request("\(base)/28").validate().responseData { answer in debugPrint(answer) }
    }

    func usage29() {
        AF.request("\(base)/29")
            .validate(statusCode: 200..<300)
            .validate(contentType: ["application/json"])
            .responseData { answer in
                switch answer.result {
                case .success: print("fine")
                case let .failure(error): print(error)
                }
            }
    }

    func usage30() {
        AF.request("\(base)/30").responseDecodable(of: Greeting.self) { debugPrint($0) }
    }

    func usage32() { AF.request("\(base)/32").response { debugPrint("came: \($0)") } }

    func usage33() { AF.request("\(base)/33").responseData { debugPrint("came: \($0)") } }

    func usage34() { AF.request("\(base)/34").responseString { debugPrint("came: \($0)") } }

    func usage35() {
        AF.request("\(base)/35").responseDecodable(of: Greeting.self) { answer in
            debugPrint("came: \(answer)")
        }
    }

    func usage36() {
        AF.request("\(base)/36")
            .responseString { answer in print("text", answer.value ?? "") }
            .responseDecodable(of: Greeting.self) { answer in
                print("value", answer.value?.name ?? "")
            }
    }

    func usage37() {
        let queue = DispatchQueue.global(qos: .utility)
        AF.request("\(base)/37").responseDecodable(of: Greeting.self, queue: queue) { answer in
            dispatchPrecondition(condition: .onQueue(queue))
            debugPrint(answer)
        }
    }

    func usage38() {
        let (user, password) = ("ada", "pw")
        AF.request("\(base)/38/\(user)")
            .authenticate(username: user, password: password)
            .responseDecodable(of: Greeting.self) { debugPrint($0) }
    }

    func usage39() {
        let credential = URLCredential(user: "ada", password: "pw", persistence: .forSession)
        AF.request("\(base)/39")
            .authenticate(with: credential)
            .responseDecodable(of: Greeting.self) { debugPrint($0) }
    }

    func usage40() {
        let headers: HTTPHeaders = [.authorization(username: "ada", password: "pw")]
        AF.request("\(base)/40", headers: headers)
            .responseDecodable(of: Greeting.self) { debugPrint($0) }
    }

    func usage41() {
        AF.download("\(base)/41").responseURL { answer in print(answer.fileURL?.path ?? "") }
    }

    func usage42() {
        let folder = scratch
        let destination: DownloadRequest.Destination = { _, _ in
            let place = folder.appendingPathComponent("a/b.json")
            return (place, [.removePreviousFile, .createIntermediateDirectories])
        }
        AF.download("\(base)/42", to: destination).response { answer in
            debugPrint(answer)
            if answer.error == nil, let path = answer.fileURL?.path { print(path) }
        }
    }

    func usage43() {
        // Not started: it would leave a file with the user.
        let destination = DownloadRequest.suggestedDownloadDestination(for: .documentDirectory)
        keep(AF.download("\(base)/43", to: destination).isInitialized)
    }

    func usage44() {
        AF.download("\(base)/44")
            .downloadProgress { progress in print(progress.fractionCompleted) }
            .responseData { answer in if let data = answer.value { print(data.count) } }
    }

    func usage45() {
        let queue = DispatchQueue(label: "progress", qos: .utility)
        AF.download("\(base)/45")
            .downloadProgress(queue: queue) { progress in print(progress.fractionCompleted) }
            .responseData { answer in if let data = answer.value { print(data.count) } }
    }

    func usage47() {
        let data = Data("tea".utf8)
        AF.upload(data, to: "\(base)/47").responseDecodable(of: Greeting.self) { debugPrint($0) }
    }

    func usage48() throws {
        let file = try file("film")
        AF.upload(file, to: "\(base)/48").responseDecodable(of: Greeting.self) { debugPrint($0) }
    }

    func usage49() {
        AF.upload(
            multipartFormData: { form in
                form.append(Data("1".utf8), withName: "uno")
                form.append(Data("2".utf8), withName: "due")
            }, to: "\(base)/49"
        )
        .responseDecodable(of: Greeting.self) { debugPrint($0) }
    }

    func usage50() throws {
        AF.upload(try file("film"), to: "\(base)/50")
            .uploadProgress { progress in print("up", progress.fractionCompleted) }
            .downloadProgress { progress in print("down", progress.fractionCompleted) }
            .responseDecodable(of: Greeting.self) { debugPrint($0) }
    }

    func usage66() {
        AF.request("\(base)/66").responseDecodable(of: Greeting.self) { answer in
            print(answer.metrics as Any)
        }
    }

    func usage67() {
        AF.request("\(base)/67")
            .cURLDescription { command in print(command) }
            .responseDecodable(of: Greeting.self) { answer in debugPrint(answer.metrics as Any) }
    }
}

import ClientLib
import Foundation

// Blocks 64 to 87 of Alamofire 5.12's AdvancedUsage.md, but for streams.

/// Block 69.
struct ColonList: ResponseSerializer {
    func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> [String] {
        let text = try StringResponseSerializer().serialize(
            request: request, response: response, data: data, error: error)
        return text.split(separator: ":").map(String.init)
    }
}

extension BlockRun.Greeting {
    fileprivate func checked() throws -> String {
        guard let name else { throw BlockRun.Halt() }
        return name
    }
}

extension BlockRun {
    func advanced64() {
        AF.request("\(base)/64").response(queue: .global()) { answer in print(answer.data as Any) }
        AF.download("\(base)/64").response(queue: .global()) { answer in
            print(answer.fileURL as Any)
        }
    }

    func advanced66() {
        AF.request("\(base)/66").response(queue: .global(), responseSerializer: ColonList()) {
            print($0)
        }
        AF.download("\(base)/66").response(queue: .global(), responseSerializer: ColonList()) {
            print($0.result)
        }
    }

    func advanced67() {
        AF.request("\(base)/67").responseDecodable(of: Greeting.self) { answer in
            let name = answer.map { $0.name }
            debugPrint(name)
        }
    }

    func advanced68() {
        AF.request("\(base)/68").responseDecodable(of: Greeting.self) { answer in
            let name = answer.tryMap { try $0.checked() }
            debugPrint(name)
        }
    }

    func advanced69() async {
        let answer = await AF.request("\(base)/69").serializing(ColonList()).response
        keep(answer.value == ["{\"name\"", "\"Ada\"}"])
    }

    func advanced78() async throws {
        let value = try await AF.request("\(base)/78").serializingDecodable(Greeting.self).value
        keep(value.name == "Ada")
    }

    func advanced79() async throws {
        let task = AF.request("\(base)/79").serializingDecodable(Greeting.self)
        let response = await task.response
        let result = await task.result
        let value = try await task.value
        keep(try response.result.get().name == value.name && result.get().name == value.name)
    }

    func advanced80() async {
        let request = AF.request("\(base)/80")
        let text = await request.serializingString().response
        let value = await request.serializingDecodable(Greeting.self).response
        keep(text.error == nil && value.error == nil)
    }

    func advanced81() async {
        async let first = AF.request("\(base)/81").serializingDecodable(Greeting.self).response
        async let second = AF.request("\(base)/81").serializingString().response
        async let third = AF.request("\(base)/81").serializingData().response
        let all = await (first, second, third)
        keep(all.0.error == nil && all.1.error == nil && all.2.error == nil)
    }

    func advanced82() async throws {
        let file = try await AF.download("\(base)/82").serializingDownloadedFileURL().value
        keep(FileManager.default.fileExists(atPath: file.path))
    }

    func advanced83() async {
        let request = AF.request("\(base)/83")
        let task = Task {
            await request.serializingDecodable(Greeting.self, automaticallyCancelling: false)
                .response
        }
        task.cancel()
        _ = await task.value
        keep(task.isCancelled && !request.isCancelled)
    }

    func advanced84() async {
        let request = AF.request("\(base)/slow")
        let task = Task {
            await request.serializingDecodable(Greeting.self, automaticallyCancelling: true)
                .response
        }
        task.cancel()
        _ = await task.value
        keep(task.isCancelled && request.isCancelled)
    }

    func advanced87() async {
        let request = AF.request("\(base)/87")
        let commands = request.cURLDescriptions()
        request.resume()
        for await command in commands { print(command) }
    }
}

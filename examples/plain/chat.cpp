// A chat that needs nothing but C++17 and sockets: it keeps every message, and precis sends the model what fits.
//
//     precis serve --upstream http://localhost:11434/v1
//     g++ -std=c++17 -o chat chat.cpp && ./chat qwen3-coder
//
// It reads one message per line and prints each answer. What precis did goes to stderr.

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

// A text as JSON has it, with its quotes.
std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    char escaped[8];
    if (c < 0x20) std::snprintf(escaped, sizeof escaped, "\\u%04x", c), out += escaped;
    else if (c == '"' || c == '\\') out += '\\', out += static_cast<char>(c);
    else out += static_cast<char>(c);
  }
  return out + '"';
}

void append_utf8(std::string &out, unsigned code) {
  const auto rest = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) out += static_cast<char>(code);
  else if (code < 0x800) out += static_cast<char>(0xc0 | (code >> 6)), rest(0);
  else if (code < 0x10000) out += static_cast<char>(0xe0 | (code >> 12)), rest(6), rest(0);
  else out += static_cast<char>(0xf0 | (code >> 18)), rest(12), rest(6), rest(0);
}

// The text whose opening quote stands at `at`.
std::string unquoted(const std::string &json, size_t at) {
  std::string out;
  const auto unit = [&] { at += 4; return static_cast<unsigned>(std::stoul(json.substr(at - 3, 4), nullptr, 16)); };
  for (at++; json.at(at) != '"'; at++) {
    if (json[at] != '\\') { out += json[at]; continue; }
    const char kind = json.at(++at);
    if (kind == 'n') out += '\n';
    else if (kind == 't') out += '\t';
    else if (kind == 'r') out += '\r';
    else if (kind == 'b') out += '\b';
    else if (kind == 'f') out += '\f';
    else if (kind != 'u') out += kind;
    else {
      unsigned code = unit();
      // Characters beyond the first 65,536 come as two halves.
      if (code >= 0xd800 && code < 0xdc00) at += 2, code = 0x10000 + ((code - 0xd800) << 10) + (unit() - 0xdc00);
      append_utf8(out, code);
    }
  }
  return out;
}

// What the model said: the content of the answer's first message.
std::string content_of(const std::string &json) {
  const size_t message = json.find("\"message\"");
  const size_t key = message == std::string::npos ? message : json.find("\"content\"", message);
  if (key == std::string::npos) throw std::runtime_error("There is no answer in: " + json);
  return unquoted(json, json.find('"', json.find(':', key)));
}

struct Response { int status; std::string head, body; };

// Posts JSON to the gateway and reads the whole response: with HTTP/1.0 it ends with the connection.
Response post(const std::string &host, const std::string &port, const std::string &session, const std::string &json) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(host.c_str(), port.c_str(), &wanted, &found) != 0) throw std::runtime_error("There is no host " + host);
  const int link = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
  const bool reached = link >= 0 && connect(link, found->ai_addr, found->ai_addrlen) == 0;
  freeaddrinfo(found);
  if (!reached) throw std::runtime_error("There is no gateway at " + host + ":" + port + ". Start one: precis serve");
  const char *key = std::getenv("OPENAI_API_KEY");
  const std::string request = "POST /v1/chat/completions HTTP/1.0\r\nhost: " + host + ":" + port +
      "\r\ncontent-type: application/json\r\nauthorization: Bearer " + (key ? key : "none") +
      // A name of your own. Without it precis recognises the conversation by its messages.
      "\r\nx-precis-session: " + session + "\r\ncontent-length: " + std::to_string(json.size()) + "\r\n\r\n" + json;
  for (size_t sent = 0; sent < request.size();) {
    const ssize_t bytes = send(link, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (bytes <= 0) throw std::runtime_error("The gateway closed the connection.");
    sent += static_cast<size_t>(bytes);
  }
  std::string all;
  char buffer[16384];
  for (ssize_t bytes; (bytes = recv(link, buffer, sizeof buffer, 0)) > 0;) all.append(buffer, static_cast<size_t>(bytes));
  close(link);
  const size_t end = all.find("\r\n\r\n");
  if (end == std::string::npos) throw std::runtime_error("The gateway gave no answer.");
  return {std::stoi(all.substr(all.find(' '))), all.substr(0, end), all.substr(end + 4)};
}

// A header of the response; empty if it isn't there.
std::string header(const Response &response, const std::string &name) {
  std::string lower;
  for (unsigned char c : response.head) lower += static_cast<char>(std::tolower(c));
  const size_t at = lower.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const size_t from = at + name.size() + 4;
  return response.head.substr(from, response.head.find("\r\n", from) - from);
}

int main(int count, char **given) {
  if (count < 2) return std::cerr << "usage: chat MODEL [PORT] [SESSION]\n", 2;
  const std::string model = given[1], port = count > 2 ? given[2] : "8787";
  const std::string session = count > 3 ? given[3] : "chat-" + std::to_string(getpid());
  std::string messages = R"({"role":"system","content":"You are a helpful assistant."})";
  try {
    for (std::string line; std::getline(std::cin, line);) {
      if (line.empty()) continue;
      messages += R"(,{"role":"user","content":)" + quoted(line) + "}";
      const std::string json = "{\"model\":" + quoted(model) + ",\"messages\":[" + messages + "]}";
      const Response response = post("127.0.0.1", port, session, json);
      if (response.status != 200) throw std::runtime_error("The gateway answered " + std::to_string(response.status) + ": " + response.body);
      const std::string answer = content_of(response.body);
      // The list only ever grows. Nobody has to shorten it.
      messages += R"(,{"role":"assistant","content":)" + quoted(answer) + "}";
      std::cout << answer << std::endl;
      const std::string action = header(response, "x-precis-action");
      if (action != "view" && action != "compacted") continue;
      std::cerr << "[precis: " << action << ", " << header(response, "x-precis-tokens-before") << " -> "
                << header(response, "x-precis-tokens-after") << " tokens]" << std::endl;
    }
  } catch (const std::exception &error) {
    return std::cerr << error.what() << std::endl, 1;
  }
}

-- Writing in Neovim, played by tests/editors/test_neovim.py: what comes while an engineer types.
-- What could be seen goes to a file as JSON. Waits are for conditions; a condition that never comes ends the session.

local plan = vim.json.decode(table.concat(vim.fn.readfile(vim.env.KEEPSTATE_PLAN), "\n"))
local seen = { steps = {} }

local function finish(failure)
  seen.failure = failure
  vim.fn.writefile({ vim.json.encode(seen) }, plan.seen)
  vim.cmd("qa!")
end

local function wait_for(what, condition)
  table.insert(seen.steps, what)
  if not vim.wait(20000, condition, 20) then
    error("did not come: " .. what)
  end
end

local function asked(method, params)
  local answers, failure = vim.lsp.buf_request_sync(0, method, params, 20000)
  assert(answers, failure)
  for _, answer in pairs(answers) do
    return answer.result
  end
end

local function play()
  local client
  wait_for("the server", function()
    client = vim.lsp.get_clients({ name = "keepstate", bufnr = 0 })[1]
    return client and client.initialized
  end)

  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_buf_set_lines(0, last, last, true, { plan.typed })
  vim.api.nvim_win_set_cursor(0, { last + 1, plan.column })
  -- As the completion of Neovim asks: its omnifunc gives where the word begins, and then the entries.
  seen.completes = vim.bo.omnifunc ~= "" or client:supports_method("textDocument/completion")
  local place = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local found = asked("textDocument/completion", place)
  seen.labels = vim.tbl_map(function(item)
    return item.label
  end, found.items)

  seen.outline = vim.tbl_map(function(symbol)
    return symbol.name
  end, asked("textDocument/documentSymbol", { textDocument = vim.lsp.util.make_text_document_params() }))

  vim.lsp.semantic_tokens.force_refresh(0)
  wait_for("the colours", function()
    local tokens = vim.lsp.semantic_tokens.get_at_pos(0, plan.table.line, plan.table.column) or {}
    seen.meaning = tokens[1] and tokens[1].type
    return seen.meaning ~= nil
  end)

  vim.wo.foldmethod = "expr"
  vim.wo.foldexpr = "v:lua.vim.lsp.foldexpr()"
  wait_for("the folds", function()
    return vim.fn.foldlevel(plan.table.line + 1) > 0
  end)
end

local ok, failure = pcall(play)
finish(not ok and tostring(failure) or nil)

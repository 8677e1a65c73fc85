-- Edits typed letter by letter in Neovim, played by tests/editors/test_typing.py. The findings are taken down by the
-- server that stands between; this script waits until each finished edit shows its own.

local plan = vim.json.decode(table.concat(vim.fn.readfile(vim.env.KEEPSTATE_PLAN), "\n"))
local seen = {}

local function finish(failure)
  seen.failure = failure
  vim.fn.writefile({ vim.json.encode(seen) }, plan.seen)
  vim.cmd("qa!")
end

local function wait_for(what, condition)
  if not vim.wait(20000, condition, 20) then
    error("did not come: " .. what)
  end
end

local function codes()
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do
    found[one.code] = true
  end
  return found
end

-- A person types a letter in so many milliseconds.
local PACE = 170

local function type(edit)
  vim.cmd.edit(vim.fn.fnameescape(edit.file))
  wait_for("the server", function()
    local client = vim.lsp.get_clients({ name = "keepstate", bufnr = 0 })[1]
    return client and client.initialized
  end)
  wait_for("the lenses", function()
    return #vim.lsp.codelens.get(0) > 0
  end)
  for _, key in ipairs(edit.keys) do
    local typed = key.typed == "\n" and { "", "" } or { key.typed }
    vim.api.nvim_buf_set_text(0, key.line, key.column, key.line, key.column + key.deleted, typed)
    vim.wait(PACE)
  end
  wait_for("the findings of " .. edit.file, function()
    local found = codes()
    for _, code in ipairs(edit.codes) do
      if not found[code] then
        return false
      end
    end
    return vim.tbl_count(found) == #edit.codes
  end)
end

local function play()
  for _, edit in ipairs(plan.edits) do
    type(edit)
  end
end

vim.o.hidden = true
vim.o.virtualedit = "onemore"
vim.schedule(function()
  local ok, failure = xpcall(play, debug.traceback)
  finish(not ok and failure or nil)
end)
